import type { StoredEvent, StoredPod } from '../../api/index.ts';
import { MISFIT, NODE_LABELS_MISSING, readNodeLabelsMissing } from '../../lifecycle/index.ts';
import { sortedByLastSeen } from '../table/events.ts';
import { conditionOf } from '../table/pod-status.ts';

/** True when the node lacks labels that the Pod asks for. */
export function hasOtherLabels({ status }: StoredPod): boolean {
  const scheduled = conditionOf(status, 'PodScheduled');
  return scheduled?.status === 'False' && scheduled.message?.includes(MISFIT.affinity) === true;
}

/** The labels of the nodeSelector that are missing, and the lines for podrun.yaml. Undefined without such an event. */
export function missingNodeLabels(
  pod: StoredPod,
  events: readonly StoredEvent[],
): ReturnType<typeof readNodeLabelsMissing> | undefined {
  if (!hasOtherLabels(pod)) return undefined;
  const event = sortedByLastSeen(events).findLast(({ reason }) => reason === NODE_LABELS_MISSING);
  return event && readNodeLabelsMissing(event.message ?? '');
}

/** The reason why a Pod cannot be scheduled: the missing labels, or the scheduler's own words. */
export function whyUnscheduled(pod: StoredPod, events: readonly StoredEvent[]): string {
  const scheduled = conditionOf(pod.status, 'PodScheduled');
  return missingNodeLabels(pod, events)?.what ?? scheduled?.message ?? scheduled?.reason ?? '';
}
