import type { StoredPod } from '../../api/objects.ts';
import { changeTransitions } from './change-transition.ts';
import { containerTransitions } from './container-transition.ts';
import { containersOf } from './container-view.ts';
import type { Tone } from '../painter.ts';
import { goingTransitions, statusTransitions } from './pod-transition.ts';

/** One thing that happened to a Pod, as a person would tell it. */
export interface Transition {
  /** When it was seen, milliseconds since 1970. */
  readonly atMs: number;
  /** Name of the Pod. */
  readonly pod: string;
  /** Name of the container it is about; undefined: the Pod as a whole. */
  readonly container?: string | undefined;
  readonly kind: 'change' | 'created' | 'scheduling' | 'container' | 'condition' | 'phase' | 'deletion' | 'event';
  /** What changed: `started (attempt 2)`, `exited with code 137 (SIGKILL) after 6s`, `Running and Ready`. */
  readonly text: string;
  /** Why, where that is known. */
  readonly why?: string | undefined;
  readonly tone: Tone;
}

/** A transition before it is known when and of which Pod. */
export type Change = Omit<Transition, 'atMs' | 'pod'>;

/**
 * What changed between two consecutive versions of a Pod, in the order in which it is best told. What a reader can
 * infer from another line of the same update is left out; changes that nobody waits for are left out as well.
 * @param previous undefined: the Pod is new
 * @param next undefined: the Pod is gone
 * @param atMs when `next` was seen, milliseconds since 1970
 */
export function transitionsOf(
  previous: StoredPod | undefined,
  next: StoredPod | undefined,
  atMs: number,
): Transition[] {
  const pod = (next ?? previous)?.metadata.name ?? '';
  return changesOf(previous, next).map((change) => ({ atMs, pod, ...change }));
}

function changesOf(previous: StoredPod | undefined, next: StoredPod | undefined): Change[] {
  if (next === undefined) return [{ kind: 'deletion', text: 'deleted', tone: 'muted' }];
  const containers = containerTransitions(previous, next);
  const told = new Set(containers.map(({ container }) => container));
  const status = statusTransitions(previous, next, told);
  // A lone container that becomes ready makes the Pod Ready: one line says both.
  const isLone = containersOf(next).filter(({ role }) => role === 'regular' || role === 'sidecar').length === 1;
  const isReady = isLone && status.some(({ text }) => text === 'Ready');
  return [
    ...changeTransitions(previous, next),
    ...goingTransitions(previous, next),
    ...containers.filter(({ text }) => !(isReady && text === 'ready')),
    ...status,
  ];
}
