import type { Endpoint, EndpointSlice, Endpoints } from '../generated/types.ts';
import type { StoredMeta } from '../base/objects.ts';

/** An EndpointSlice as the server shows it: without endpoints or ports, their lists are null. */
export type StoredEndpointSlice = Omit<EndpointSlice, 'metadata' | 'endpoints' | 'ports'> & {
  apiVersion: string;
  kind: string;
  metadata: StoredMeta;
  endpoints?: EndpointSlice['endpoints'] | null;
  ports?: EndpointSlice['ports'] | null;
};

export type StoredEndpoints = Endpoints & { apiVersion: string; kind: string; metadata: StoredMeta };

/** The label of an EndpointSlice with the name of its Service. Source: k8s.io/api/discovery/v1, LabelServiceName. */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

/** True when clients may begin connections to it. A missing condition counts as true. */
export function isReadyEndpoint({ conditions }: Endpoint): boolean {
  return conditions?.ready !== false;
}

/** The server writes lists of an EndpointSlice also when they are absent: as null. */
export function withNullLists<T extends { readonly kind: string }>(object: T): T {
  return object.kind === 'EndpointSlice' ? { endpoints: null, ports: null, ...object } : object;
}
