import { inBackground } from '../defects.ts';
import type { StoredEndpointSlice, StoredService } from '../api/index.ts';
import type { ServiceServer } from '../network/index.ts';
import { isService, type ObjectCache } from '../apiserver/index.ts';

/** Keeps the server of Services up to date. */
export class ShownServices {
  readonly #server: ServiceServer;
  readonly #cache: ObjectCache;
  readonly #onTrouble: (error: Error) => void;
  readonly #onShown: () => void;
  #hasChanged = false;
  /** The calls of the server that have not ended. */
  #calls = 0;

  /** @param options onShown: called when connections reach the endpoints that were shown */
  constructor(options: {
    readonly server: ServiceServer;
    readonly cache: ObjectCache;
    readonly onTrouble: (error: Error) => void;
    readonly onShown: () => void;
  }) {
    this.#server = options.server;
    this.#cache = options.cache;
    this.#onTrouble = options.onTrouble;
    this.#onShown = options.onShown;
  }

  /** True when connections to Services reach the endpoints of the last change. */
  get areCurrent(): boolean {
    return !this.#hasChanged && this.#calls === 0;
  }

  /** Notes that a Service or an EndpointSlice has changed, or the owner of a Service. */
  changed(): void {
    this.#hasChanged = true;
  }

  /**
   * Shows Services to their server after a change, with all of their EndpointSlices.
   * @param own the uids of the objects of this agent
   */
  show(own: Iterable<string>): void {
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    const objects = [...own].flatMap((uid) => this.#cache.get(uid) ?? []);
    const services: readonly StoredService[] = objects.filter(isService);
    const namespaces = new Set(services.map(({ metadata }) => metadata.namespace));
    const slices = [...namespaces].flatMap((namespace) =>
      this.#cache.allOf<StoredEndpointSlice>(namespace, 'EndpointSlice'),
    );
    this.#calls += 1;
    const showing = this.#server.show(services, slices).catch(this.#onTrouble);
    inBackground(
      showing.then(() => {
        this.#calls -= 1;
        this.#onShown();
      }),
    );
  }

  close(): void {
    this.#server.close();
  }
}
