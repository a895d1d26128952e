import { allContainers, isTerminalPhase } from '../api/objects.ts';
import type { RecordedRun } from './recorded-run.ts';
import { axisOf } from './timeline/axis.ts';
import { containerTimeline } from './timeline/container-timeline.ts';
import { criticalPath } from './timeline/critical-path.ts';
import type { Timeline } from './timeline/model.ts';
import { conditionSpans, endingSpan, eventMarks, phaseSpans } from './timeline/pod-spans.ts';

/**
 * Computes the timeline of a run.
 * @param nowMs the end of the timeline of a Pod that still runs, milliseconds since 1970
 * @returns undefined when the Pod has no recorded state
 */
export function timelineOf(run: RecordedRun, nowMs?: number): Timeline | undefined {
  const axis = axisOf(run, nowMs);
  if (axis === undefined) return undefined;
  const events = eventMarks(axis);
  const conditions = conditionSpans(axis);
  const containers = allContainers(axis.pod.spec).map((container) => containerTimeline(axis, container, events));
  const ending = endingSpan(axis);
  const { namespace, name, uid } = run;
  const isRemoved = run.transitions.some(({ type, object }) => type === 'DELETED' && object.kind === 'Pod');
  return {
    namespace,
    name,
    uid,
    createdAtMs: axis.createdAtMs,
    endMs: axis.endMs,
    isOver: isRemoved || isTerminalPhase(axis.pod.status.phase),
    phases: phaseSpans(axis),
    conditions,
    ...(ending === undefined ? {} : { ending }),
    containers,
    events,
    criticalPath: criticalPath(axis, { conditions, containers, events }),
  };
}
