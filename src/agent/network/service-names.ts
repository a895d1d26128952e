import type { StoredService } from '../../api/objects.ts';
import type { StoredEndpointSlice } from '../../api/workloads/endpoint-slices.ts';
import { lowestPort } from '../../network/lowest-port.ts';
import type { ServicePlace } from '../../network/listeners-of-services.ts';
import { serviceHosts } from '../../network/service-hosts.ts';
import type { Store, Subscription } from '../../store/store.ts';

/** The names of Services in the /etc/hosts of Pods, which follow the Services. */
export class ServiceNames {
  readonly #store: Store;
  /** By place of the file: writes it again. */
  readonly #files = new Map<string, () => void>();
  readonly #subscriptions: Subscription[] = [];
  #isPlanned = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The lines for a Pod of this namespace. */
  lines(namespace: string, network: ServicePlace['network']): string {
    const services = this.#store.list<StoredService>('services');
    if (services.length === 0) return '';
    const slices = this.#store.list<StoredEndpointSlice>('endpointslices');
    return serviceHosts(services, slices, { namespace, place: { network, lowestPort: lowestPort() } });
  }

  /**
   * Keeps a file up to date.
   * @param rewrite writes it. Answers false when it is gone
   */
  follow(file: string, rewrite: () => boolean): void {
    this.#files.set(file, () => {
      if (!rewrite()) this.#files.delete(file);
    });
    if (this.#subscriptions.length > 0) return;
    for (const resource of ['services', 'endpointslices'] as const) {
      this.#subscriptions.push(this.#store.watch(resource, {}, () => this.#plan()));
    }
  }

  close(): void {
    for (const subscription of this.#subscriptions.splice(0)) subscription.close();
    this.#files.clear();
  }

  /** Several changes of one turn are written together. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    queueMicrotask(() => {
      this.#isPlanned = false;
      for (const rewrite of this.#files.values()) rewrite();
    });
  }
}
