import type { StoredKubeObject } from '../../api/objects.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { getObject, type ObjectRef } from '../../apiserver/object-ref.ts';
import type { Store, Subscription } from '../../store/store.ts';

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
 * Checks after every change of the objects, and every half second, whether a condition can no longer become true. A
 * check right after a deletion may still find the object.
 */
export class UnreachableGoalWatch {
  readonly #options: UnreachableGoalOptions;
  readonly #subscriptions: readonly Subscription[];
  #alarm: Alarm | undefined;
  /** Monotonic milliseconds. Undefined while every condition can become true. */
  #unreachableSinceMs: number | undefined;
  #isReported = false;

  constructor(options: UnreachableGoalOptions) {
    this.#options = options;
    this.#subscriptions = options.refs.map(({ type, namespace, name }) =>
      options.store.watch(type.plural, { namespace, name }, () => this.#check()),
    );
    this.#check();
    this.#planCheck();
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.close();
    this.#alarm?.cancel();
  }

  /** Looks again every half second: a time limit passes without an event. */
  #planCheck(): void {
    const { clock } = this.#options;
    this.#alarm = clock.wakeAt(clock.now().monotonicMs + LOOK_MS, () => {
      this.#planCheck();
      this.#check();
    });
  }

  #check(): void {
    const { store, clock, refs, isUnattainable, onUnreachable } = this.#options;
    if (!refs.some((ref) => isUnattainable(ref, getObject(store, ref)))) {
      this.#unreachableSinceMs = undefined;
      return;
    }
    const nowMs = clock.now().monotonicMs;
    this.#unreachableSinceMs ??= nowMs;
    if (this.#isReported || nowMs - this.#unreachableSinceMs < PATIENCE_MS) return;
    this.#isReported = true;
    onUnreachable();
  }
}
