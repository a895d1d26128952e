import type { StoredService, WatchEvent } from '../../../api/objects.ts';
import { isReadyEndpoint, type StoredEndpointSlice } from '../../../api/workloads/endpoint-slices.ts';
import type { Owned } from '../../../controllers/reconcile.ts';
import { machinePort, slicesOf } from '../../../network/listeners-of-services.ts';
import { lowestPort } from '../../../network/lowest-port.ts';
import { machineAddress } from '../../../network/service-addresses.ts';
import type { FollowedService } from '../../../print/live/service-row.ts';

/** The Services of a run, as the view knows them. */
export class KnownServices {
  readonly #services = new Map<string, StoredService>();
  readonly #slices = new Map<string, StoredEndpointSlice>();
  #lowestPort: number | undefined;

  take({ type, object }: WatchEvent<Owned>): void {
    const known = object.kind === 'Service' ? this.#services : this.#slices;
    if (object.kind !== 'Service' && object.kind !== 'EndpointSlice') return;
    if (type === 'DELETED') known.delete(object.metadata.uid);
    else (known as Map<string, Owned>).set(object.metadata.uid, object);
  }

  /** The Services with an address of this machine. */
  get shown(): FollowedService[] {
    return [...this.#services.values()].flatMap((service) => {
      const { clusterIP = '', ports = [] } = service.spec ?? {};
      if (clusterIP === '' || clusterIP === 'None') return [];
      const endpoints = slicesOf(service, [...this.#slices.values()]).flatMap((slice) => slice.endpoints ?? []);
      const { name, creationTimestamp } = service.metadata;
      return {
        name,
        creationTimestamp,
        urls: ports.map(({ port, protocol }) => this.#url(machineAddress(clusterIP), port, protocol)),
        endpoints: endpoints.length,
        ready: endpoints.filter(isReadyEndpoint).length,
      };
    });
  }

  /** A TCP port gets an http link, which people can click on: nothing says which protocol it speaks. */
  #url(address: string, port: number, protocol = 'TCP'): string {
    this.#lowestPort ??= lowestPort();
    const at = `${address}:${machinePort(port, this.#lowestPort)}`;
    return protocol === 'TCP' ? `http://${at}` : `${at}/${protocol}`;
  }
}
