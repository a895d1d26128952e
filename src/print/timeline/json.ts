import { formatTime } from '../../api/time.ts';
import { stepHint, stepText } from './step-text.ts';
import type { NamedTimeline } from './trace.ts';

/**
 * A run as data, a line of JSON for each. Milliseconds count from `createdAt`, with three digits; what does not apply
 * is left out. The fields are those of the model, and documented in docs/timeline.md.
 */
export function renderTimelineJson(runs: readonly NamedTimeline[]): string {
  return runs
    .map(({ run, timeline: { createdAtMs, criticalPath, ...timeline } }) => {
      const steps = criticalPath.steps.map((step) => ({ ...step, text: stepText(step), hint: stepHint(step) }));
      const all = { run, createdAt: formatTime(createdAtMs), ...timeline, criticalPath: { ...criticalPath, steps } };
      return `${JSON.stringify(all, rounded)}\n`;
    })
    .join('');
}

function rounded(key: string, value: unknown): unknown {
  if (typeof value !== 'number') return value;
  return key.endsWith('Ms') ? Math.round(value * 1000) / 1000 : key === 'share' ? Math.round(value * 1e4) / 1e4 : value;
}
