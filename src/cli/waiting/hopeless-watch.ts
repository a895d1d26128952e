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

/** Looks, after every change of objects that are waited for, whether there is any hope left. */
export class HopelessWatch {
  readonly #options: HopelessOptions;
  readonly #subscriptions: readonly Subscription[];
  #alarm: Alarm | undefined;

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
    if (!this.#isHopeless()) {
      this.#alarm?.cancel();
      this.#alarm = undefined;
      return;
    }
    const { clock, onHopeless } = this.#options;
    this.#alarm ??= clock.wakeAt(clock.now().monotonicMs + PATIENCE_MS, () => {
      if (this.#isHopeless()) onHopeless();
    });
  }

  #isHopeless(): boolean {
    const { store, refs, isHopeless } = this.#options;
    return refs.some((ref) => isHopeless(ref, getObject(store, ref)));
  }
}
