import type { ServicePort, ServiceSpec, ServiceStatus, StoredService } from '../api/index.ts';
import { LOCALHOST } from './base/listeners-of-services.ts';
import {
  clusterAddress,
  isServiceAddress,
  machineAddress,
  nameHash,
  serviceAddress,
} from './base/service-addresses.ts';

/** The node ports that the API server gives out: the flag --service-node-port-range. */
const NODE_PORTS = { first: 30_000, count: 2768 };

/** A mistake that only the allocation finds, as the API server words it. */
export interface AllocationError {
  readonly path: string;
  readonly value: unknown;
  readonly detail: string;
}

/**
 * Gives a Service all that the API server allocates: its address, the families, node ports. Address and ports follow
 * from its name and the state folder: they are the same in every run, and differ between state folders. An address of
 * another range, for example from another cluster, is replaced. Source: pkg/registry/core/service/storage/alloc.go.
 * @param others the stored Services, in any namespace
 * @param place the state folder
 */
export function allocateService<T extends Pick<StoredService, 'metadata' | 'spec'>>(
  service: T,
  others: readonly StoredService[],
  place: string,
): T {
  const { spec = {}, metadata } = service;
  if (spec.type === 'ExternalName') return service;
  const addresses = new Set(others.flatMap((other) => (other.spec?.clusterIPs ?? []).map(clusterAddress)));
  const wanted = clusterAddress(spec.clusterIP ?? '');
  const isKept = wanted === 'None' || (isServiceAddress(wanted) && !addresses.has(wanted));
  const address = isKept
    ? wanted
    : serviceAddress(`${place} ${metadata.namespace}/${metadata.name}`, (each) => addresses.has(each));
  const allocated: ServiceSpec = {
    ...spec,
    clusterIP: address,
    clusterIPs: [address],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ...(spec.ports === undefined ? {} : { ports: withNodePorts(service, others, place) }),
  };
  return { ...service, spec: allocated, status: reachedStatus(allocated) };
}

/**
 * The status of a Service: the addresses at which this machine reaches it, where they differ from those for Pods.
 * kubectl shows them as EXTERNAL-IP. A LoadBalancer is this machine's loopback.
 */
export function reachedStatus({ type, clusterIP = '' }: ServiceSpec): ServiceStatus {
  const loopback = machineAddress(clusterIP);
  const addresses = [...(type === 'LoadBalancer' ? [LOCALHOST] : []), ...(loopback === clusterIP ? [] : [loopback])];
  if (addresses.length === 0) return { loadBalancer: {} };
  return { loadBalancer: { ingress: addresses.map((ip) => ({ ip, ipMode: 'VIP' })) } };
}

/** The node ports of a Service that are outside of the range or taken. */
export function nodePortErrors(
  { spec }: Pick<StoredService, 'spec'>,
  others: readonly StoredService[],
): AllocationError[] {
  const taken = nodePortsOf(others);
  return (spec?.ports ?? []).flatMap((port, index): AllocationError[] => {
    const { nodePort = 0 } = port;
    const path = `spec.ports[${index}].nodePort`;
    if (nodePort === 0) return [];
    const last = NODE_PORTS.first + NODE_PORTS.count - 1;
    if (nodePort < NODE_PORTS.first || nodePort > last) {
      const detail = `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${last}`;
      return [{ path, value: nodePort, detail }];
    }
    return taken.has(keyOf(port, nodePort))
      ? [{ path, value: nodePort, detail: 'provided port is already allocated' }]
      : [];
  });
}

function withNodePorts(
  { metadata, spec = {} }: Pick<StoredService, 'metadata' | 'spec'>,
  others: readonly StoredService[],
  place: string,
): ServicePort[] {
  const { ports = [], type, allocateLoadBalancerNodePorts } = spec;
  const needsPorts = type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);
  if (!needsPorts) return ports;
  const taken = nodePortsOf([...others, { spec }]);
  return ports.map((port) => {
    if (port.nodePort) return port;
    const first = nameHash(`${place} ${metadata.namespace}/${metadata.name}/${port.port}`) % NODE_PORTS.count;
    const steps = Array.from({ length: NODE_PORTS.count }, (_, step) => (first + step) % NODE_PORTS.count);
    const free = steps.map((step) => NODE_PORTS.first + step).find((number) => !taken.has(keyOf(port, number)));
    if (free === undefined) return port;
    taken.add(keyOf(port, free));
    return { ...port, nodePort: free };
  });
}

function nodePortsOf(services: readonly Pick<StoredService, 'spec'>[]): Set<string> {
  const ports = services.flatMap(({ spec }) => spec?.ports ?? []);
  return new Set(ports.flatMap((port) => (port.nodePort ? [keyOf(port, port.nodePort)] : [])));
}

const keyOf = ({ protocol = 'TCP' }: ServicePort, nodePort: number): string => `${protocol} ${nodePort}`;
