import { isReadyEndpoint, type StoredEndpointSlice, type StoredService, type WatchEvent } from '../../../api/index.ts';
import type { Owned } from '../../../controllers/index.ts';
import { lowestPort, machineUrls, slicesOf } from '../../../network/index.ts';
import type { FollowedService } from '../../../print/index.ts';

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
      this.#lowestPort ??= lowestPort();
      const urls = machineUrls(service, this.#lowestPort);
      if (urls.length === 0) return [];
      const endpoints = slicesOf(service, [...this.#slices.values()]).flatMap((slice) => slice.endpoints ?? []);
      const { name, creationTimestamp } = service.metadata;
      return {
        name,
        creationTimestamp,
        urls,
        endpoints: endpoints.length,
        ready: endpoints.filter(isReadyEndpoint).length,
      };
    });
  }
}
