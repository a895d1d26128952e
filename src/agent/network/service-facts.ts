import type { StoredService } from '../../api/objects.ts';
import type { ServiceFact } from '../../lifecycle/environment/environment-services.ts';
import { lowestPort } from '../../network/lowest-port.ts';
import { addressForPods, podsPort, type ServicePlace } from '../../network/listeners-of-services.ts';
import type { ObjectReader } from '../../store/store.ts';

/** The stored Services of a namespace, as programs in a network reach them. */
export function serviceFacts(store: ObjectReader, namespace: string, network: ServicePlace['network']): ServiceFact[] {
  const place = { network, lowestPort: lowestPort() };
  return store.list<StoredService>('services', { namespace }).map(({ metadata, spec }) => ({
    namespace,
    name: metadata.name,
    clusterIP: addressForPods({ spec }, place),
    ports: (spec?.ports ?? []).map(({ name, port, protocol }) => {
      return { name, port, protocol, served: podsPort(port, place) };
    }),
  }));
}
