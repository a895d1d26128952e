import type { StoredEvent, StoredPod } from '../../api/index.ts';
import {
  EVENT_REASON,
  MISFIT,
  NODE_LABELS_MISSING,
  readFailedMount,
  readNodeLabelsMissing,
  WAITING,
} from '../../lifecycle/index.ts';
import { containersOf } from '../base/pod-container.ts';
import { sortedByLastSeen } from '../table/events.ts';
import { conditionOf } from '../table/pod-status.ts';

export interface BlockingMount {
  /** Name of the volume in the spec of the Pod. */
  readonly volume: string;
  /** The kubelet's reason, for example `configmap "settings" not found`. */
  readonly why: string;
}

/**
 * The volume that holds a Pod back. Only the event FailedMount shows this, and the event stays when the volume is
 * ready: so it counts only until the first container starts.
 */
export function blockingMount(pod: StoredPod, events: readonly StoredEvent[]): BlockingMount | undefined {
  const isHeldBack = containersOf(pod).every(({ status }) => {
    const { waiting } = status?.state ?? {};
    const isAtStart = waiting?.reason === WAITING.containerCreating || waiting?.reason === WAITING.podInitializing;
    return status === undefined || (isAtStart && status.restartCount === 0);
  });
  if (!isHeldBack) return undefined;
  const event = sortedByLastSeen(events).findLast(({ reason }) => reason === EVENT_REASON.failedMount);
  return event && readFailedMount(event.message ?? '');
}

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
