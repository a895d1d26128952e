import type { StoredKubeObject } from '../../api/objects.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { getObject, type ObjectRef } from '../../run/object-ref.ts';
import type { Store, Subscription } from '../../store/store.ts';

/** Who is gone or has ended may be replaced in the next moment, by an apply that was started with this wait. */
const PATIENCE_MS = 1000;

export interface HopelessOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly refs: readonly ObjectRef[];
  /** Can what is still waited for never come any more? Undefined stands for an object that is not there. */
  readonly isHopeless: (ref: ObjectRef, object: StoredKubeObject | undefined) => boolean;
  /** Called once, when it has been hopeless for a moment. */
  readonly onHopeless: () => void;
}

/** Looks, after every change of what is waited for and when the patience is over, whether there is any hope left. */
export class HopelessWatch {
  readonly #options: HopelessOptions;
  readonly #subscriptions: readonly Subscription[];
  /** When the patience is over; undefined: there is hope, or it was told that there is none. */
  #alarm: Alarm | undefined;
  #isTold = false;

  constructor(options: HopelessOptions) {
    this.#options = options;
    this.#subscriptions = options.refs.map(({ type, namespace, name }) =>
      options.store.watch(type.plural, { namespace, name }, () => this.#look()),
    );
    this.#look();
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.close();
    this.#alarm?.cancel();
  }

  #look(): void {
    const { clock } = this.#options;
    if (!this.#hasHope()) {
      if (!this.#isTold) this.#alarm ??= clock.wakeAt(clock.now().monotonicMs + PATIENCE_MS, () => this.#giveUp());
      return;
    }
    this.#alarm?.cancel();
    this.#alarm = undefined;
  }

  /** It was hopeless all the time; what was waited for may have come without a change, as an answer. */
  #giveUp(): void {
    this.#alarm = undefined;
    if (this.#hasHope()) return;
    this.#isTold = true;
    this.#options.onHopeless();
  }

  #hasHope(): boolean {
    const { store, refs, isHopeless } = this.#options;
    return !refs.some((ref) => isHopeless(ref, getObject(store, ref)));
  }
}
