import type { StoredKubeObject } from '../../api/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { getObject, type ObjectRef } from '../../apiserver/index.ts';
import type { Store } from '../../store/index.ts';

/**
 * An `apply` that starts together with this `wait` may replace a Pod that has ended: wait this long for the new Pod.
 */
const PATIENCE_MS = 1000;

const LOOK_MS = 500;

export interface UnreachableGoalOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly refs: readonly ObjectRef[];
  /** True when a condition of the object can no longer become true. Undefined stands for a missing object. */
  readonly isUnattainable: (ref: ObjectRef, object: StoredKubeObject | undefined) => boolean;
  /** Called once, when a condition has been out of reach for a second. */
  readonly onUnreachable: () => void;
}

/**
 * Checks after every change of the objects, and every half second, whether a condition can no longer become true: a
 * check right after a deletion may still find the object, and a time limit passes without an event.
 */
export function watchUnreachable(options: UnreachableGoalOptions): { close(): void } {
  const { store, clock, refs, isUnattainable, onUnreachable } = options;
  /** Monotonic milliseconds. Undefined while every condition can become true. */
  let sinceMs: number | undefined;
  let isReported = false;
  let alarm: Alarm | undefined;
  const check = (): void => {
    const nowMs = clock.now().monotonicMs;
    const isUnreachable = refs.some((ref) => isUnattainable(ref, getObject(store, ref)));
    sinceMs = isUnreachable ? (sinceMs ?? nowMs) : undefined;
    if (isReported || sinceMs === undefined || nowMs - sinceMs < PATIENCE_MS) return;
    isReported = true;
    onUnreachable();
  };
  const planCheck = (): void => {
    alarm = clock.wakeAt(clock.now().monotonicMs + LOOK_MS, () => {
      planCheck();
      check();
    });
  };
  const subscriptions = refs.map(({ type, namespace, name }) => {
    return store.watch(type.plural, { namespace, name }, check);
  });
  check();
  planCheck();
  return {
    close: () => {
      for (const subscription of subscriptions) subscription.close();
      alarm?.cancel();
    },
  };
}
