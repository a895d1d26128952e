import type { StoredService } from '../../api/objects.ts';
import type { StoredEndpointSlice } from '../../api/workloads/endpoint-slices.ts';

/** The server of the Services that an agent looks after. */
export interface ServiceServer {
  /** Called after each change, with all of them and the EndpointSlices around them. */
  readonly show: (services: readonly StoredService[], slices: readonly StoredEndpointSlice[]) => void;
  readonly close: () => void;
}

/** A server that is loaded with the first Service: most runs have none. */
export function lateServer(load: () => Promise<ServiceServer>): ServiceServer {
  let loaded: Promise<ServiceServer> | undefined;
  let isClosed = false;
  return {
    show: (services, slices) => {
      if (loaded === undefined && services.length === 0) return;
      loaded ??= load();
      void loaded.then((server) => {
        if (!isClosed) server.show(services, slices);
      });
    },
    close: () => {
      isClosed = true;
      void loaded?.then((server) => server.close());
    },
  };
}
