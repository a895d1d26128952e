import { isTerminalPhase, type StoredEvent, type StoredPod } from '../api/objects.ts';
import { firstCause } from '../print/live/first-cause.ts';
import { lastWarning } from '../print/live/last-warning.ts';
import { waitingFor } from '../print/live/waiting-for.ts';
import type { FileStore } from '../store/file-store.ts';
import { tailOfFailure } from './tail-of-failure.ts';

/** Why a Pod failed or cannot get where it should: the first cause, with the last words of the container to blame. */
export function causeWithEvidence(store: FileStore, pod: StoredPod): string {
  return firstCause(pod, tailOfFailure(store, pod));
}

/**
 * What a Pod was waiting for when the time was up: a line, and another one for the last warning about it.
 * @param pod as it was then
 * @param atMs when that was, milliseconds since 1970; what was told later is not why it did not get there
 * @param nowMs what is left of a back-off is as of then
 */
export function waitingLines(store: FileStore, pod: StoredPod, { atMs, nowMs }: Moments): string {
  const warning = isTerminalPhase(pod.status.phase) ? '' : warningBefore(store, pod, atMs);
  return `pod/${pod.metadata.name}: ${waitingFor(pod, nowMs)}\n${warning}`;
}

interface Moments {
  readonly atMs: number;
  readonly nowMs: number;
}

function warningBefore(store: FileStore, { metadata: { namespace, uid } }: StoredPod, atMs: number): string {
  const events = store
    .list<StoredEvent>('events', { namespace })
    .filter(({ involvedObject }) => involvedObject.uid === uid);
  const warning = lastWarning(events, atMs);
  return warning === undefined ? '' : `  last warning: ${warning}\n`;
}
