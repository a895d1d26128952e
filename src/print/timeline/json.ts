import { formatTime } from '../../api/index.ts';
import { stepHint, stepText } from './step-text.ts';
import type { NamedTimeline } from './trace.ts';

/**
 * Formats runs as data, a line of JSON for each. Milliseconds count from `createdAt`, with three digits. Fields without
 * a value are left out. The model has the same fields, see docs/timeline.md.
 */
export function renderTimelineJson(runs: readonly NamedTimeline[]): string {
  return runs
    .map(({ run, workload, node, timeline }) => {
      const { namespace, name, uid, createdAtMs, criticalPath } = timeline;
      const { endMs, isOver, phases, conditions, ending, containers, events } = timeline;
      const steps = criticalPath.steps.map((step) => ({ ...step, text: stepText(step), hint: stepHint(step) }));
      const all = {
        run,
        workload,
        node,
        createdAt: formatTime(createdAtMs),
        namespace,
        name,
        uid,
        endMs,
        isOver,
        phases,
        conditions,
        ending,
        containers,
        events,
        criticalPath: { ...criticalPath, steps },
      };
      return `${JSON.stringify(all, rounded)}\n`;
    })
    .join('');
}

function rounded(key: string, value: unknown): unknown {
  if (typeof value !== 'number') return value;
  return key.endsWith('Ms') ? Math.round(value * 1000) / 1000 : key === 'share' ? Math.round(value * 1e4) / 1e4 : value;
}
