import type { StoredEndpointSlice, StoredService } from '../../api/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { caught, inBackground } from '../../defects.ts';
import type { Store, Subscription } from '../../store/index.ts';
import type { ServicePlace } from '../base/listeners-of-services.ts';
import { lowestPort } from '../base/service-listener.ts';
import { serviceHosts } from '../base/service-hosts.ts';
import { placeOnMachine } from '../ingress/dial-external.ts';

/** The names of Services in the /etc/hosts of Pods, which follow the Services. */
export class ServiceNames {
  readonly #store: Store;
  /** By place of the file: writes it again. */
  readonly #files = new Map<string, () => void>();
  readonly #subscriptions: Subscription[] = [];
  readonly #external: ExternalNames;
  #isPlanned = false;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#external = new ExternalNames(clock, () => this.#plan());
  }

  /** Looks up the names that Services of type ExternalName stand for. Resolves when their lines can be written. */
  lookUp(): Promise<void> {
    return this.#external.lookUp(this.#externalNames);
  }

  /** The lines for a Pod of this namespace. */
  lines(namespace: string, network: ServicePlace['network']): string {
    const services = this.#store.recent.list<StoredService>('services');
    if (services.length === 0) return '';
    const slices = this.#store.list<StoredEndpointSlice>('endpointslices');
    const place = { network, lowestPort: lowestPort() };
    return serviceHosts(services, slices, { namespace, place, addressesOf: (name) => this.#addressesOf(name) });
  }

  /**
   * Keeps a file up to date.
   * @param rewrite writes it. Returns false when the file is gone
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
    queueMicrotask(
      caught(() => {
        this.#isPlanned = false;
        for (const rewrite of this.#files.values()) rewrite();
        inBackground(this.#external.lookUpNew(this.#externalNames));
      }),
    );
  }

  /** The names of other machines: this machine's resolver does not know the names of Services. */
  get #externalNames(): string[] {
    const names = this.#store.list<StoredService>('services').flatMap(({ spec }) => {
      return spec?.type === 'ExternalName' ? withoutDot(spec.externalName ?? '') : [];
    });
    return names.filter((name) => this.#placeOf(name) === name);
  }

  #addressesOf(written: string): readonly string[] {
    const name = withoutDot(written);
    const place = this.#placeOf(name);
    return place === name ? this.#external.addressesOf(name) : [place];
  }

  /** The address of the Service that has this name. Any other name stays. */
  #placeOf(name: string): string {
    const find = (namespace: string, service: string): StoredService | undefined =>
      this.#store.get<StoredService>('services', namespace, service);
    return placeOnMachine({ address: name, port: 0 }, find, lowestPort()).address;
  }
}

/** A name as files have it: a resolver would not find it there with the dot of the root. */
const withoutDot = (name: string): string => name.replace(/\.$/, '');

/** The time that a Pod waits for this machine's resolver. */
const PATIENCE_MS = 1000;

/** The addresses of names that Services of type ExternalName stand for, as this machine's resolver knows them. */
class ExternalNames {
  readonly #clock: Clock;
  readonly #onFound: () => void;
  /** By name. Empty: the resolver does not know the name, or has not replied. */
  readonly #addresses = new Map<string, readonly string[]>();

  /** @param onFound called when a name has addresses that it did not have */
  constructor(clock: Clock, onFound: () => void) {
    this.#clock = clock;
    this.#onFound = onFound;
  }

  addressesOf(name: string): readonly string[] {
    return this.#addresses.get(name) ?? [];
  }

  /** Looks up names without addresses. Resolves when all look-ups are over, or after a time limit. */
  async lookUp(names: readonly string[]): Promise<void> {
    const fresh = names.filter((name) => this.addressesOf(name).length === 0);
    if (fresh.length === 0) return;
    let alarm: Alarm | undefined;
    const isLate = new Promise<void>((resolve) => {
      alarm = this.#clock.wakeAt(this.#clock.now().monotonicMs + PATIENCE_MS, resolve);
    });
    await Promise.race([isLate, Promise.all(fresh.map((name) => this.#ask(name)))]);
    alarm?.cancel();
  }

  /** Looks up the names that were not looked up yet. */
  lookUpNew(names: readonly string[]): Promise<void> {
    return this.lookUp(names.filter((name) => !this.#addresses.has(name)));
  }

  async #ask(name: string): Promise<void> {
    this.#addresses.set(name, []);
    const { lookup } = await import('node:dns/promises');
    const resolved = await lookup(name, { family: 4, all: true }).catch(() => []);
    if (resolved.length === 0) return;
    this.#addresses.set(
      name,
      resolved.map(({ address }) => address),
    );
    this.#onFound();
  }
}
