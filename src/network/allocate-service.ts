import type { ServicePort, ServiceSpec, ServiceStatus, StoredService } from '../api/index.ts';
import { LOCALHOST } from './base/listeners-of-services.ts';
import {
  CLUSTER_DNS,
  clusterAddress,
  DNS_SERVICE,
  isDnsService,
  isServiceAddress,
  machineAddress,
  nameHash,
  SERVICE_RANGE,
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
 * @param mayUse says whether an address that no other Service has is free for this one
 * @param range the addresses of Services: a CIDR of IPv4
 */
export function allocateService<T extends Pick<StoredService, 'metadata' | 'spec'>>(
  service: T,
  others: readonly StoredService[],
  place: string,
  mayUse: (address: string) => boolean = () => true,
  range: string = SERVICE_RANGE,
): T {
  const { spec = {}, metadata } = service;
  if (spec.type === 'ExternalName') return service;
  const addresses = new Set(others.flatMap((other) => (other.spec?.clusterIPs ?? []).map(clusterAddress)));
  const wanted = clusterAddress(spec.clusterIP ?? '');
  const isForOther = (each: string): boolean => each === CLUSTER_DNS && !isNamedForDns(metadata);
  const isTaken = (each: string): boolean => addresses.has(each) || isForOther(each) || !mayUse(each);
  const isKept = wanted === 'None' || (isServiceAddress(wanted, range) && !isTaken(wanted));
  const address = isKept ? wanted : serviceAddress(`${place} ${metadata.namespace}/${metadata.name}`, isTaken, range);
  const taken = nodePortsOf([...others, service]);
  const free = { place: `${place} ${metadata.namespace}/${metadata.name}`, taken };
  const allocated: ServiceSpec = {
    ...spec,
    clusterIP: address,
    clusterIPs: [address],
    ...familiesOf(spec),
    ...(spec.ports === undefined ? {} : { ports: withNodePorts(spec, free) }),
  };
  const healthPort = needsHealthPort(spec) && !spec.healthCheckNodePort ? freeNodePort('health', {}, free) : undefined;
  return { ...service, spec: { ...allocated, ...(healthPort && { healthCheckNodePort: healthPort }) } };
}

const isNamedForDns = ({ namespace, name }: StoredService['metadata']): boolean =>
  namespace === DNS_SERVICE.namespace && name === DNS_SERVICE.name;

/**
 * The addresses at which this machine reaches a Service, where they differ from those for Pods. A LoadBalancer is this
 * machine's loopback.
 */
export function reachedAddresses(spec: ServiceSpec): string[] {
  const { type, clusterIP = '' } = spec;
  if (isDnsService(spec)) return [];
  const loopback = machineAddress(clusterIP);
  return [...(type === 'LoadBalancer' ? [LOCALHOST] : []), ...(loopback === clusterIP ? [] : [loopback])];
}

/** The status of a Service: podrun is the load balancer. Other types have no addresses in their status. */
export function balancedStatus(spec: ServiceSpec): ServiceStatus {
  if (spec.type !== 'LoadBalancer') return { loadBalancer: {} };
  return { loadBalancer: { ingress: reachedAddresses(spec).map((ip) => ({ ip, ipMode: 'VIP' })) } };
}

/** The family of all addresses of Services, as of a cluster whose --service-cluster-ip-range is one range of IPv4. */
const FAMILY = 'IPv4';

const isHeadless = ({ clusterIP }: ServiceSpec): boolean => clusterIP === 'None';
/** True for a Service whose addresses a client writes into EndpointSlices: they may be of any family. */
const hasForeignAddresses = (spec: ServiceSpec): boolean =>
  isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;

/** Source: pkg/registry/core/service/storage/alloc.go, initIPFamilyFields. */
function familiesOf(spec: ServiceSpec): Pick<ServiceSpec, 'ipFamilies' | 'ipFamilyPolicy'> {
  const ipFamilyPolicy = policyOf(spec);
  const { ipFamilies: [first = FAMILY, ...more] = [] } = spec;
  if (!hasForeignAddresses(spec)) return { ipFamilies: [FAMILY], ipFamilyPolicy };
  if (more.length > 0 || ipFamilyPolicy === 'SingleStack') return { ipFamilies: [first, ...more], ipFamilyPolicy };
  return { ipFamilies: [first, first === FAMILY ? 'IPv6' : FAMILY], ipFamilyPolicy };
}

function policyOf(spec: ServiceSpec): NonNullable<ServiceSpec['ipFamilyPolicy']> {
  return spec.ipFamilyPolicy ?? (hasForeignAddresses(spec) ? 'RequireDualStack' : 'SingleStack');
}

/**
 * The mistakes of a Service that wants addresses of another family than the cluster network has.
 * Source: pkg/registry/core/service/storage/alloc.go, initIPFamilyFields.
 */
export function familyErrors({ spec = {} }: Pick<StoredService, 'spec'>): AllocationError[] {
  if (spec.type === 'ExternalName') return [];
  const { clusterIPs = [], ipFamilies = [] } = spec;
  const policy = { path: 'spec.ipFamilyPolicy', value: policyOf(spec) };
  const several = (what: string): AllocationError => {
    return { ...policy, detail: `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified` };
  };
  const isSingle = policy.value === 'SingleStack';
  const first = [
    ...(isSingle && clusterIPs.length > 1 ? [several('cluster IPs')] : []),
    ...(isSingle && ipFamilies.length > 1 ? [several('IP families')] : []),
    ...clusterIPs.flatMap((address, index) => {
      if (!address.includes(':') || index < ipFamilies.length) return [];
      const detail = 'IPv6 is not configured on this cluster';
      return [{ path: `spec.clusterIPs[${index}]`, value: clusterIPs, detail }];
    }),
  ];
  if (first.length > 0 || hasForeignAddresses(spec)) return first;
  const isDual = policy.value === 'RequireDualStack';
  return [
    ...(isDual ? [{ ...policy, detail: 'this cluster is not configured for dual-stack services' }] : []),
    ...ipFamilies.flatMap((family, index) => {
      const path = `spec.ipFamilies[${index}]`;
      return family === FAMILY ? [] : [{ path, value: family, detail: 'not configured on this cluster' }];
    }),
  ];
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

/** The unused node ports, for a Service. */
interface FreePorts {
  /** The state folder with the name of the Service: the first try follows from it. */
  readonly place: string;
  readonly taken: Set<string>;
}

function withNodePorts(
  { ports = [], type, allocateLoadBalancerNodePorts }: ServiceSpec,
  free: FreePorts,
): ServicePort[] {
  const needsPorts = type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);
  if (!needsPorts) return ports;
  return ports.map((port) => {
    const nodePort = port.nodePort || freeNodePort(`${port.port}`, port, free);
    return nodePort === undefined ? port : { ...port, nodePort };
  });
}

/** Source: pkg/api/service/util.go, NeedsHealthCheck. */
function needsHealthPort({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
}

/** Takes a free node port. Undefined: all are taken. */
function freeNodePort(
  name: string,
  port: Pick<ServicePort, 'protocol'>,
  { place, taken }: FreePorts,
): number | undefined {
  const first = nameHash(`${place}/${name}`) % NODE_PORTS.count;
  const steps = Array.from({ length: NODE_PORTS.count }, (_, step) => (first + step) % NODE_PORTS.count);
  const free = steps.map((step) => NODE_PORTS.first + step).find((number) => !taken.has(keyOf(port, number)));
  if (free !== undefined) taken.add(keyOf(port, free));
  return free;
}

function nodePortsOf(services: readonly Pick<StoredService, 'spec'>[]): Set<string> {
  const ports = services.flatMap(({ spec }) => spec?.ports ?? []);
  const health = services.flatMap(({ spec }) => spec?.healthCheckNodePort || []);
  return new Set([
    ...ports.flatMap((port) => (port.nodePort ? [keyOf(port, port.nodePort)] : [])),
    ...health.map((port) => keyOf({}, port)),
  ]);
}

const keyOf = ({ protocol = 'TCP' }: Pick<ServicePort, 'protocol'>, nodePort: number): string =>
  `${protocol} ${nodePort}`;
