import { inBackground } from '../../defects.ts';
import type { StoredEndpointSlice, StoredService } from '../../api/index.ts';
import type { Store, Subscription } from '../../store/index.ts';

/** The server of the Services that an agent looks after. */
export interface ServiceServer {
  /**
   * Called after each change, with all Services and their EndpointSlices. Resolves when connections reach these
   * endpoints, as far as they can.
   */
  readonly show: (services: readonly StoredService[], slices: readonly StoredEndpointSlice[]) => Promise<void>;
  readonly close: () => void;
}

/** A server that is loaded with the first Service, or when it is needed: most runs have none. */
export function lateServer(
  load: () => Promise<ServiceServer>,
  isNeeded: (services: readonly StoredService[]) => boolean = (services) => services.length > 0,
): ServiceServer {
  let loaded: Promise<ServiceServer> | undefined;
  let isClosed = false;
  return {
    show: async (services, slices) => {
      if (loaded === undefined && !isNeeded(services)) return;
      loaded ??= load();
      const server = await loaded;
      if (!isClosed) await server.show(services, slices);
    },
    close: () => {
      isClosed = true;
      inBackground(loaded?.then((server) => server.close()));
    },
  };
}

/** Serves Ingresses beside Services. Their server is loaded with the first Ingress, and hears of each change of one. */
export function withIngresses(
  services: ServiceServer,
  store: Store,
  load: () => Promise<ServiceServer>,
): ServiceServer {
  let latest: Parameters<ServiceServer['show']> = [[], []];
  const ingresses = lateServer(load, () => store.list('ingresses').length > 0);
  let subscription: Subscription | undefined;
  return {
    show: async (...all) => {
      latest = all;
      // Not before: a server that is closed while it loads must not look at the store, whose folder may be gone.
      subscription ??= store.watch('ingresses', {}, () => inBackground(ingresses.show(...latest)));
      await Promise.all([services.show(...all), ingresses.show(...all)]);
    },
    close: () => {
      subscription?.close();
      ingresses.close();
      services.close();
    },
  };
}
