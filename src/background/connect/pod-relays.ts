import type { StoredPod } from '../../api/objects.ts';
import { NetworkRelay } from '../../runtime/linux/network/relay.ts';
import { networkOf } from '../../agent/pod-files.ts';
import type { FileStore } from '../../store/file-store.ts';

/** The relays into the private networks of Pods, cached until `close`. */
export class PodRelays {
  readonly #store: FileStore;
  /** By pid of the process that keeps the network. */
  readonly #relays = new Map<number, NetworkRelay>();

  constructor(store: FileStore) {
    this.#store = store;
  }

  /** Undefined: the Pod shares the host's network. */
  of({ metadata }: StoredPod): NetworkRelay | undefined {
    const network = networkOf(this.#store, metadata);
    if (network === undefined) return undefined;
    const relay = this.#relays.get(network.holderPid) ?? new NetworkRelay(network);
    this.#relays.set(network.holderPid, relay);
    return relay;
  }

  close(): void {
    for (const relay of this.#relays.values()) relay.close();
  }
}
