import type { StoredService } from '../../api/index.ts';
import type { Store, Subscription } from '../../store/index.ts';

/** Finds the namespaces of Pods that have Services: their agent looks after these, too. */
export class ServiceWatch {
  readonly #store: Store;
  readonly #onFound: (namespace: string) => void;
  readonly #subscriptions = new Map<string, Subscription>();

  /** @param onFound called for each Service of a followed namespace, also for later ones */
  constructor(store: Store, onFound: (namespace: string) => void) {
    this.#store = store;
    this.#onFound = onFound;
  }

  follow(namespace: string): void {
    if (this.#subscriptions.has(namespace)) return;
    const onEvent = ({ type }: { readonly type: string }): void => {
      if (type === 'ADDED') this.#onFound(namespace);
    };
    this.#subscriptions.set(
      namespace,
      this.#store.watch<StoredService>('services', { namespace }, onEvent, { replay: true }),
    );
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.close();
  }
}
