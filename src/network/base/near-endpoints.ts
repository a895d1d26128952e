import { type Endpoint, ipBits, isReadyEndpoint, type StoredEndpointSlice } from '../../api/index.ts';
import type { NodeFacts } from '../../lifecycle/index.ts';

const ZONE = 'topology.kubernetes.io/zone';

/**
 * The endpoints for the clients of one node, by the traffic policy of the Service or by hints. Undefined: they get the
 * same endpoints as all clients. Source: pkg/proxy/topology.go CategorizeEndpoints.
 * @param isLocal true: endpoints of the node alone, even if there is none
 */
export function slicesNear(
  slices: readonly StoredEndpointSlice[],
  { name, labels }: Pick<NodeFacts, 'name' | 'labels'>,
  isLocal: boolean,
): StoredEndpointSlice[] | undefined {
  if (isLocal) return slicesOn(name, slices);
  const ready = slices.flatMap(({ endpoints }) => endpoints ?? []).filter(isReadyEndpoint);
  const kinds = [
    { hintsOf: nodeHints, place: name },
    { hintsOf: zoneHints, place: labels[ZONE] ?? '' },
  ];
  const kind = kinds.find(
    ({ hintsOf, place }) =>
      ready.every((endpoint) => hintsOf(endpoint).length > 0) &&
      ready.some((endpoint) => hintsOf(endpoint).includes(place)),
  );
  if (kind === undefined) return undefined;
  return withEndpoints(slices, (endpoint) => isReadyEndpoint(endpoint) && kind.hintsOf(endpoint).includes(kind.place));
}

/** The slices with the endpoints of one node alone. */
export function slicesOn(name: string, slices: readonly StoredEndpointSlice[]): StoredEndpointSlice[] {
  return withEndpoints(slices, ({ nodeName }) => nodeName === name);
}

function withEndpoints(
  slices: readonly StoredEndpointSlice[],
  isKept: (endpoint: Endpoint) => boolean,
): StoredEndpointSlice[] {
  return slices.map((slice) => ({ ...slice, endpoints: (slice.endpoints ?? []).filter(isKept) }));
}

function nodeHints({ hints }: Endpoint): string[] {
  return (hints?.forNodes ?? []).map(({ name }) => name);
}

function zoneHints({ hints }: Endpoint): string[] {
  return (hints?.forZones ?? []).map(({ name }) => name);
}

/** True for an address of a range such as 10.93.1.0/24. */
export function isClientOf(address: string, range: string): boolean {
  const [start = '', length = ''] = range.split('/');
  const { bits, count } = ipBits(start);
  const rest = BigInt(count - Number(length));
  const own = ipBits(address);
  return own.count === count && own.bits >> rest === bits >> rest;
}
