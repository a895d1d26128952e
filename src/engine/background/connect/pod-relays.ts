import type { StoredPod } from '../../../api/index.ts';
import { NetworkHelper } from '../../../network/index.ts';
import type { FileStore } from '../../../store/index.ts';

/** Helpers in the private networks of Pods, cached until `close`. */
export class PodRelays {
  readonly #store: FileStore;
  /** By uid of the Pod. */
  readonly #relays = new Map<string, NetworkHelper>();

  constructor(store: FileStore) {
    this.#store = store;
  }

  /** Undefined: the Pod shares the host's network. */
  of({ metadata }: StoredPod): NetworkHelper | undefined {
    const network = this.#store.networkOf(metadata);
    if (network === undefined) return undefined;
    const relay = this.#relays.get(metadata.uid) ?? new NetworkHelper(network);
    this.#relays.set(metadata.uid, relay);
    return relay;
  }

  close(): void {
    for (const relay of this.#relays.values()) relay.close();
  }
}
