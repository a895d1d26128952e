import type { StoredEvent, StoredPod } from '../../api/objects.ts';
import { EVENT_REASON, readFailedMount } from '../../lifecycle/texts/events.ts';
import { WAITING } from '../../lifecycle/texts/waiting.ts';
import { sortedByLastSeen } from '../events.ts';
import { containersOf } from './container-view.ts';

export interface FailedMount {
  /** Name of the volume in the spec of the Pod. */
  readonly volume: string;
  /** What the kubelet says of it, for example `configmap "settings" not found`. */
  readonly why: string;
}

/**
 * The volume that a Pod is held back by. The status does not tell: only the event FailedMount does, which stays when
 * the volume is there at last; so it counts as long as nothing has been started.
 */
export function failedMount(pod: StoredPod, events: readonly StoredEvent[]): FailedMount | undefined {
  const isHeldBack = containersOf(pod).every(({ status }) => {
    const { waiting } = status?.state ?? {};
    const isAtStart = waiting?.reason === WAITING.containerCreating || waiting?.reason === WAITING.podInitializing;
    return status === undefined || (isAtStart && status.restartCount === 0);
  });
  if (!isHeldBack) return undefined;
  const event = sortedByLastSeen(events).findLast(({ reason }) => reason === EVENT_REASON.failedMount);
  return event && readFailedMount(event.message ?? '');
}
