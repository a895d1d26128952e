import type { StoredEndpointSlice, StoredPod, StoredService } from '../api/index.ts';
import { isApiServer, isService, type ObjectCache } from '../apiserver/index.ts';
import { selectsPod } from '../controllers/index.ts';
import { inBackground } from '../defects.ts';
import type { ServiceServer } from '../network/index.ts';
import type { ObjectKey } from '../store/index.ts';

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

/** The part of a run that decides which Services belong to it. */
export interface RunOfServices {
  /** True for a Service that the run names. Default: all, as in a cluster. */
  readonly namesService?: ((key: ObjectKey) => boolean) | undefined;
  /** True for a Pod that this agent runs. */
  readonly runsPod: (uid: string) => boolean;
}

/** True for a Service that the run names, that has a Pod here, or that needs none. Not for what earlier runs left. */
export function isServiceOfRun(
  service: StoredService,
  cache: ObjectCache,
  { namesService, runsPod }: RunOfServices,
): boolean {
  if (namesService === undefined || namesService(service.metadata)) return true;
  if (Object.keys(service.spec?.selector ?? {}).length === 0) return !isApiServer(service);
  const pods = cache.allOf<StoredPod>(service.metadata.namespace, 'Pod');
  return pods.some((pod) => runsPod(pod.metadata.uid) && selectsPod(service, pod));
}
