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
 * @param stopped containers that ran when podrun began to end the Pod; undefined: podrun is not ending it
 */
export function transitionsOf(
  previous: StoredPod | undefined,
  next: StoredPod | undefined,
  atMs: number,
  stopped?: ReadonlySet<string>,
): Transition[] {
  const pod = (next ?? previous)?.metadata.name ?? '';
  return changesOf(previous, next, stopped).map((change) => ({ atMs, pod, ...change }));
}

function changesOf(
  previous: StoredPod | undefined,
  next: StoredPod | undefined,
  stopped: ReadonlySet<string> | undefined,
): Change[] {
  if (next === undefined) return [{ kind: 'deletion', text: 'deleted', tone: 'muted' }];
  const containers = containerTransitions(previous, next, stopped);
  const reported = new Set(containers.map(({ container }) => container));
  return [
    ...changeTransitions(previous, next),
    ...existenceTransitions(previous, next),
    ...containers,
    ...statusTransitions(previous, next, { reported, stopped }),
  ];
}
