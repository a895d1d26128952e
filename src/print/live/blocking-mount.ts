import type { StoredEvent, StoredPod } from '../../api/index.ts';
import { EVENT_REASON, readFailedMount, WAITING } from '../../lifecycle/index.ts';
import { sortedByLastSeen } from '../table/events.ts';
import { containersOf } from '../base/pod-container.ts';

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
