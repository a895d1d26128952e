import { DEFAULT_NAMESPACE, type KubeObject, type StoredService } from '../../api/index.ts';
import type { ServiceFact } from '../../lifecycle/index.ts';
import { addressForPods, apiServerAddress, lowestPort, podsPort, type ServicePlace } from '../../network/index.ts';
import type { ObjectReader } from '../../store/index.ts';

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

/**
 * The Services that get variables in a Pod of this namespace. The API server is one of them, as on a node: programs
 * find out by its variables that they are in a cluster.
 */
export function knownServices(store: ObjectReader, namespace: string, network: ServicePlace['network']): ServiceFact[] {
  const stored = [...new Set([namespace, DEFAULT_NAMESPACE])].flatMap((place) => serviceFacts(store, place, network));
  return hasApiServer(store) ? stored : [...stored, apiServer(network)];
}

/** True when the user has an API server: a Service leads to it. */
export function hasApiServer(store: ObjectReader): boolean {
  return store.get('services', DEFAULT_NAMESPACE, API_SERVER) !== undefined;
}

/** True when the state folder has an API server of podrun's own: Pods get tokens for it. */
export function hasOwnApiServer(store: ObjectReader): boolean {
  const service = store.get<StoredService>('services', DEFAULT_NAMESPACE, API_SERVER);
  return service?.metadata.labels?.[OWN_LABEL] === API_SERVER;
}

/** True for the Service that leads to an API server. */
export function isApiServer({ kind, metadata }: KubeObject): boolean {
  const { namespace = DEFAULT_NAMESPACE, name } = metadata;
  return kind === 'Service' && namespace === DEFAULT_NAMESPACE && name === API_SERVER;
}

export const API_SERVER = 'kubernetes';
/** The label of the Service that an API server has made itself. */
export const OWN_LABEL = 'provider';

function apiServer(network: ServicePlace['network']): ServiceFact {
  const clusterIP = apiServerAddress(network);
  return { namespace: DEFAULT_NAMESPACE, name: API_SERVER, clusterIP, ports: [{ name: 'https', port: 443 }] };
}
