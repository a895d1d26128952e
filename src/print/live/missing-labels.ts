import type { StoredEvent, StoredPod } from '../../api/objects.ts';
import { NODE_LABELS_MISSING, readNodeLabelsMissing } from '../../lifecycle/texts/events.ts';
import { MISFIT } from '../../lifecycle/texts/scheduling.ts';
import { sortedByLastSeen } from '../events.ts';
import { conditionOf } from '../pod-status.ts';

/** Does the Pod wait for a node with other labels? */
export function hasOtherLabels({ status }: StoredPod): boolean {
  const scheduled = conditionOf(status, 'PodScheduled');
  return scheduled?.status === 'False' && scheduled.message?.includes(MISFIT.affinity) === true;
}

/** Which labels of its nodeSelector are missing, and what to write into podrun.yaml; undefined: nobody has told. */
export function missingLabels(
  pod: StoredPod,
  events: readonly StoredEvent[],
): ReturnType<typeof readNodeLabelsMissing> | undefined {
  if (!hasOtherLabels(pod)) return undefined;
  const event = sortedByLastSeen(events).findLast(({ reason }) => reason === NODE_LABELS_MISSING);
  return event && readNodeLabelsMissing(event.message ?? '');
}

/** Why the scheduler finds no place for a Pod: its own words, or what is more to the point. */
export function whyUnscheduled(pod: StoredPod, events: readonly StoredEvent[]): string {
  const scheduled = conditionOf(pod.status, 'PodScheduled');
  return missingLabels(pod, events)?.what ?? scheduled?.message ?? scheduled?.reason ?? '';
}
