import type { StoredPod } from '../../api/objects.ts';
import { changeTransitions } from './change-transition.ts';
import { containerTransitions } from './container-transition.ts';
import { existenceTransitions } from './existence-transition.ts';
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
