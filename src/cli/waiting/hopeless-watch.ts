import type { StoredKubeObject } from '../../api/objects.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { getObject, type ObjectRef } from '../../run/object-ref.ts';
import type { Store, Subscription } from '../../store/store.ts';

/** Who is gone or has ended may be replaced in the next moment, by an apply that was started with this wait. */
const PATIENCE_MS = 1000;

const LOOK_MS = 500;

export interface HopelessOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly refs: readonly ObjectRef[];
  /** Can what is still waited for never come any more? Undefined stands for an object that is not there. */
  readonly isUnattainable: (ref: ObjectRef, object: StoredKubeObject | undefined) => boolean;
  /** Called once, when it has been hopeless for a moment. */
  readonly onHopeless: () => void;
}

/**
 * Looks, after every change of objects that are waited for and from time to time, whether there is any hope left: who
 * is told of a deletion may still find the object for a moment.
 */
export class HopelessWatch {
  readonly #options: HopelessOptions;
  readonly #subscriptions: readonly Subscription[];
  #alarm: Alarm | undefined;
  /** On the stopwatch; undefined: there is hope. */
  #hopelessSinceMs: number | undefined;
  #isTold = false;

  constructor(options: HopelessOptions) {
    this.#options = options;
    this.#subscriptions = options.refs.map(({ type, namespace, name }) =>
      options.store.watch(type.plural, { namespace, name }, () => this.#look()),
    );
    this.#look();
    this.#plan();
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.close();
    this.#alarm?.cancel();
  }

  /** Whoever has no hope left is looked at again when the patience is over. */
  #plan(): void {
    const { clock } = this.#options;
    this.#alarm = clock.wakeAt(clock.now().monotonicMs + LOOK_MS, () => {
      this.#plan();
      this.#look();
    });
  }

  #look(): void {
    const { store, clock, refs, isUnattainable, onHopeless } = this.#options;
    if (!refs.some((ref) => isUnattainable(ref, getObject(store, ref)))) {
      this.#hopelessSinceMs = undefined;
      return;
    }
    const nowMs = clock.now().monotonicMs;
    this.#hopelessSinceMs ??= nowMs;
    if (this.#isTold || nowMs - this.#hopelessSinceMs < PATIENCE_MS) return;
    this.#isTold = true;
    onHopeless();
  }
}
