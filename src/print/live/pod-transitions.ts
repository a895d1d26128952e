import { isKeptByFinalizers, isTerminalPhase, type StoredPod } from '../../api/index.ts';
import { changeTransitions } from './change-transition.ts';
import { containerTransitions } from './container-transition.ts';
import { statusTransitions } from './status-transition.ts';
import type { Change, Transition } from './transition.ts';

/**
 * The changes between two consecutive versions of a Pod, in a readable order: one or more lines for each container, one
 * line for the phase and all conditions.
 * @param previous undefined for a new Pod
 * @param next undefined for a deleted Pod
 * @param atMs time at which `next` was seen, milliseconds since 1970
 */
export function transitionsOf(
  previous: StoredPod | undefined,
  next: StoredPod | undefined,
  atMs: number,
  context: PodContext = {},
): Transition[] {
  const pod = (next ?? previous)?.metadata.name ?? '';
  return changesOf(previous, next, context).map((change) => ({ atMs, pod, ...change }));
}

/** The context of a change of a Pod. */
export interface PodContext {
  /** Containers that ran when podrun began to end the Pod. Undefined: podrun is not ending it. */
  readonly stopped?: ReadonlySet<string> | undefined;
  /** The cause of a deletion by a controller, see `deletedBy`. */
  readonly deletedBy?: string | undefined;
}

function changesOf(
  previous: StoredPod | undefined,
  next: StoredPod | undefined,
  { stopped, deletedBy }: PodContext,
): Change[] {
  if (next === undefined) return [{ kind: 'deletion', text: 'deleted', tone: 'muted' }];
  const containers = containerTransitions(previous, next, stopped);
  const reported = new Set(containers.map(({ container }) => container));
  return [
    ...changeTransitions(previous, next),
    ...existenceTransitions(previous, next, deletedBy),
    ...containers,
    ...statusTransitions(previous, next, { reported, stopped }),
  ];
}

/**
 * The transitions at both ends of a Pod: created, Terminating, held by its finalizers after its end.
 * @param deletedBy the cause of a deletion by a controller
 */
function existenceTransitions(previous: StoredPod | undefined, next: StoredPod, deletedBy?: string): Change[] {
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
