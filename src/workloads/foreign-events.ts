import type { StoredEvent, WatchEvent } from '../api/index.ts';
import type { Store, Subscription } from '../store/index.ts';

export interface ForeignEventsOptions {
  readonly store: Store;
  /** True for an object of the run that another agent looks after. */
  readonly isForeign: (uid: string) => boolean;
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
}

/** The Events that other agents record about objects of a run: about a ReplicaSet that has adopted one of its Pods. */
export class ForeignEvents {
  readonly #options: ForeignEventsOptions;
  readonly #subscriptions = new Map<string, Subscription>();

  constructor(options: ForeignEventsOptions) {
    this.#options = options;
  }

  /** Reports the Events of a namespace from now on. Most runs have no object of another agent, and need none. */
  follow(namespace: string): void {
    if (this.#subscriptions.has(namespace)) return;
    const { store, isForeign, onEvent } = this.#options;
    const subscription = store.watch<StoredEvent>('events', { namespace }, (event) => {
      if (event.type !== 'DELETED' && isForeign(event.object.involvedObject.uid ?? '')) onEvent(event);
    });
    this.#subscriptions.set(namespace, subscription);
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.close();
    this.#subscriptions.clear();
  }
}
