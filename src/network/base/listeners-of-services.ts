import {
  type Endpoint,
  isReadyEndpoint,
  SERVICE_NAME_LABEL,
  type ServicePort,
  type StoredEndpointSlice,
  type StoredService,
} from '../../api/index.ts';
import { isNodeInCluster, type NodeFacts, nodeOnMachine } from '../../lifecycle/index.ts';
import { slicesNear, slicesOn } from './near-endpoints.ts';
import { clusterAddress, machineAddress } from './service-addresses.ts';
import { listenerKey, type NearEndpoints, type ServiceEndpoint, type ServiceListener } from './service-listener.ts';

/** The network of the run, as far as its Services are concerned. */
export interface ServicePlace {
  /** host: Pods are in the network of this machine. cluster: in one of their own. */
  readonly network: 'host' | 'cluster';
  /** The lowest port that podrun may listen on in this machine's network. */
  readonly lowestPort: number;
  /** The nodes. Default: this machine. */
  readonly nodes?: readonly Pick<NodeFacts, 'hostIPs' | 'labels' | 'name' | 'podCIDR'>[];
}

/** The distance to the port that is used in place of one that only root may listen on. */
const MOVED_BY = 10_000;
/**
 * The one port above it that no browser, and no `fetch`, connects to: 80 would have it.
 * Source: https://fetch.spec.whatwg.org/#port-blocking
 */
const CLOSED_TO_BROWSERS = 10_080;
const ALL_CLIENTS = '0.0.0.0/0';

/** The address of node ports and load balancers on this machine. */
export const LOCALHOST = '127.0.0.1';

/**
 * Computes what the proxy of a run serves.
 * @param slices the EndpointSlices of the same namespaces, in any order
 */
export function listenersOfServices(
  services: readonly StoredService[],
  slices: readonly StoredEndpointSlice[],
  place: ServicePlace,
): ServiceListener[] {
  const all = services.flatMap((service) => listenersOf(service, slicesOf(service, slices), place));
  // The first of several listeners at one place stays.
  return [...new Map(all.toReversed().map((listener) => [listenerKey(listener), listener])).values()].toReversed();
}

/** The EndpointSlices of a Service. */
export function slicesOf(
  { metadata: { namespace, name } }: StoredService,
  slices: readonly StoredEndpointSlice[],
): StoredEndpointSlice[] {
  return slices.filter(
    ({ metadata }) => metadata.namespace === namespace && metadata.labels?.[SERVICE_NAME_LABEL] === name,
  );
}

/** The port on which this machine's network serves a port of a Service. */
export function machinePort(port: number, lowestPort: number): number {
  if (port >= lowestPort) return port;
  const moved = port + MOVED_BY;
  return moved === CLOSED_TO_BROWSERS ? moved + MOVED_BY : moved;
}

/** The port at which Pods reach a port of a Service. */
export function podsPort(port: number, { network, lowestPort }: ServicePlace): number {
  return network === 'cluster' ? port : machinePort(port, lowestPort);
}

/** The address at which Pods reach a Service. Undefined: it has none. */
export function addressForPods({ spec }: Pick<StoredService, 'spec'>, { network }: ServicePlace): string | undefined {
  const { clusterIP, type } = spec ?? {};
  if (type === 'ExternalName' || !clusterIP || clusterIP === 'None') return undefined;
  return network === 'cluster' ? clusterAddress(clusterIP) : machineAddress(clusterIP);
}

function listenersOf(
  service: StoredService,
  slices: readonly StoredEndpointSlice[],
  place: ServicePlace,
): ServiceListener[] {
  const { metadata, spec = {} } = service;
  const address = addressForPods(service, place);
  if (address === undefined) return [];
  const affinitySeconds =
    spec.sessionAffinity === 'ClientIP' ? spec.sessionAffinityConfig?.clientIP?.timeoutSeconds : undefined;
  const ports = (spec.ports ?? []).flatMap((port) => {
    const { protocol = 'TCP' } = port;
    if (protocol === 'SCTP') return [];
    const name = `${metadata.namespace}/${metadata.name}:${port.port}`;
    const all = endpointsFor(port, slices);
    const inside = spec.internalTrafficPolicy === 'Local' ? endpointsFor(port, localOf(slices)) : all;
    const common = { protocol, service: name, affinitySeconds };
    const ofService = placesOf(spec.type, port, address, place).map((at) => {
      const endpoints = at.address === LOCALHOST ? all : inside;
      const near = at.network === 'pods' ? nearOf(service, port, slices, place) : [];
      return { ...at, ...common, endpoints, ...(near.length > 0 && { near }) };
    });
    const ofNodes = (place.nodes ?? []).flatMap((node) => {
      const isLocal = spec.externalTrafficPolicy === 'Local';
      const own = isLocal ? endpointsFor(port, slicesOn(node.name, slices)) : all;
      return placesOnNode(node, port).map((at) => ({ ...at, ...common, ...endpointsAt(node, all, own) }));
    });
    return [...ofService, ...ofNodes];
  });
  return [...ports, ...healthListeners(service, slices)];
}

/** The places of the node port of a Service on a node: for Pods of a cluster, and for this machine. */
function placesOnNode({ hostIPs: [hostIP] }: Pick<NodeFacts, 'hostIPs'>, { nodePort }: ServicePort): ListenerPlace[] {
  if (nodePort === undefined) return [];
  const address = nodeOnMachine(hostIP);
  return [
    ...(isNodeInCluster(hostIP) ? [{ network: 'pods', address: hostIP, port: nodePort } as const] : []),
    // Every Service has its node port there.
    ...(address === LOCALHOST ? [] : [{ network: 'machine', address, port: nodePort } as const]),
  ];
}

/**
 * The endpoints at the node port of a node. A policy that keeps them to its own ones is for clients from outside of the
 * node, who get no answer where it has none. Source: pkg/proxy/nftables/proxier.go, externalTrafficChain.
 */
function endpointsAt(
  { hostIPs: [hostIP], podCIDR }: Pick<NodeFacts, 'hostIPs' | 'podCIDR'>,
  all: readonly ServiceEndpoint[],
  own: readonly ServiceEndpoint[],
): Pick<ServiceListener, 'endpoints' | 'near'> {
  if (own.length === all.length) return { endpoints: all };
  const inside = [`${hostIP}/32`, ...(podCIDR === undefined ? [] : [podCIDR])];
  const near = inside.map((clients) => ({ clients, endpoints: all }));
  return own.length > 0
    ? { endpoints: own, near }
    : { endpoints: all, near: [...near, { clients: ALL_CLIENTS, endpoints: own }] };
}

/** The endpoints for the clients of each node, where they are not the same as for all. */
function nearOf(
  { spec = {} }: StoredService,
  port: ServicePort,
  slices: readonly StoredEndpointSlice[],
  { nodes = [] }: ServicePlace,
): NearEndpoints[] {
  return nodes.flatMap((node) => {
    const near = slicesNear(slices, node, spec.internalTrafficPolicy === 'Local');
    if (node.podCIDR === undefined || near === undefined) return [];
    return [{ clients: node.podCIDR, endpoints: endpointsFor(port, near) }];
  });
}

/** The endpoints of all nodes, for clients whose node is not known. Endpoints of other machines name none. */
function localOf(slices: readonly StoredEndpointSlice[]): StoredEndpointSlice[] {
  return slices.map((slice) => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).filter(({ nodeName }) => nodeName !== undefined),
  }));
}

/** Source: pkg/proxy/endpointschangetracker.go LocalReadyEndpoints. */
function healthListeners({ metadata, spec }: StoredService, slices: readonly StoredEndpointSlice[]): ServiceListener[] {
  const { healthCheckNodePort: port } = spec ?? {};
  if (!port) return [];
  const { namespace, name } = metadata;
  const local = localOf(slices).flatMap(({ endpoints }) => endpoints ?? []);
  const ready = new Set(local.filter(isReadyEndpoint).map(({ addresses: [address] }) => address));
  return [
    {
      network: 'machine',
      protocol: 'TCP',
      address: LOCALHOST,
      port,
      service: `${namespace}/${name}:${port}`,
      endpoints: [],
      affinitySeconds: undefined,
      health: { namespace, name, localEndpoints: ready.size },
    },
  ];
}

type ListenerPlace = Pick<ServiceListener, 'network' | 'address' | 'port'>;

function placesOf(
  type: string | undefined,
  { port, nodePort }: ServicePort,
  address: string,
  { network, lowestPort }: ServicePlace,
): ListenerPlace[] {
  const onMachine = (at: string, number: number): ListenerPlace => {
    return { network: 'machine', address: at, port: machinePort(number, lowestPort) };
  };
  return [
    ...(network === 'cluster' ? [{ network: 'pods', address, port } as const] : []),
    onMachine(machineAddress(address), port),
    ...(nodePort === undefined ? [] : [onMachine(LOCALHOST, nodePort)]),
    ...(type === 'LoadBalancer' ? [onMachine(LOCALHOST, port)] : []),
  ];
}

/** The places to which new connections of a port of a Service go. */
export function endpointsFor(
  { name = '', protocol = 'TCP' }: ServicePort,
  slices: readonly StoredEndpointSlice[],
): ServiceEndpoint[] {
  const all = slices.flatMap(({ addressType, endpoints, ports }) => {
    const port = (ports ?? []).find((one) => (one.name ?? '') === name && (one.protocol ?? 'TCP') === protocol)?.port;
    if (port === undefined || addressType !== 'IPv4') return [];
    return (endpoints ?? []).map((endpoint) => ({ ...endpoint, port }));
  });
  const places = usableEndpoints(all).flatMap(({ addresses, port }) => {
    const [address] = addresses;
    return address === undefined ? [] : [{ address, port }];
  });
  return [...new Map(places.map((place) => [`${place.address}:${place.port}`, place])).values()];
}

/**
 * The endpoints for new connections: the ready endpoints; without any, endpoints that serve while they terminate.
 * Source: pkg/proxy/topology.go CategorizeEndpoints.
 */
function usableEndpoints<T extends Endpoint>(endpoints: readonly T[]): T[] {
  const ready = endpoints.filter(isReadyEndpoint);
  if (ready.length > 0) return ready;
  return endpoints.filter(({ conditions }) => conditions?.terminating === true && conditions.serving !== false);
}
