import { isKeptByFinalizers } from '../../api/finalizers.ts';
import { isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import type { Change } from './transition.ts';

/**
 * The transitions at both ends of a Pod: created, Terminating, held by its finalizers after its end.
 * @param deletedBy the cause of a deletion by a controller
 */
export function existenceTransitions(previous: StoredPod | undefined, next: StoredPod, deletedBy?: string): Change[] {
  return [...creation(previous, next), ...deletion(previous, next, deletedBy), ...holding(previous, next)];
}

/** A mirror Pod that was made anew has the uid of another object, and the status of its static Pod. */
function creation(previous: StoredPod | undefined, { metadata, status }: StoredPod): Change[] {
  const isNew = previous === undefined ? !status.containerStatuses : previous.metadata.uid !== metadata.uid;
  return isNew ? [{ kind: 'created', text: 'created', why: status.phase, tone: 'muted' }] : [];
}

function deletion(
  previous: StoredPod | undefined,
  { metadata, status }: StoredPod,
  deletedBy: string | undefined,
): Change[] {
  const graceSeconds = metadata.deletionGracePeriodSeconds ?? 0;
  const old = previous?.metadata;
  // A Pod that has ended is removed at once. A final grace period of 0 only allows the removal.
  if (!metadata.deletionTimestamp || isTerminalPhase(status.phase)) return [];
  const why = graceSeconds > 0 ? `grace period ${graceSeconds}s` : 'no grace period';
  if (!old?.deletionTimestamp) {
    const text = deletedBy === undefined ? 'Terminating' : `deleted by ${deletedBy}`;
    return [{ kind: 'deletion', text, why, tone: 'info' }];
  }
  if (old.deletionGracePeriodSeconds === graceSeconds || graceSeconds === 0) return [];
  return [{ kind: 'deletion', text: 'Terminating sooner', why, tone: 'info' }];
}

function holding(previous: StoredPod | undefined, next: StoredPod): Change[] {
  const isOver = isKeptByFinalizers(next) && isTerminalPhase(next.status.phase);
  if (!isOver || (previous !== undefined && isKeptByFinalizers(previous) && isTerminalPhase(previous.status.phase)))
    return [];
  const why = (next.metadata.finalizers ?? []).join(', ');
  return [{ kind: 'deletion', text: 'stays until its finalizers are removed', why, tone: 'info' }];
}
