import {
  type DiscoveryEndpointPort,
  type Endpoint,
  type EndpointAddress,
  type Endpoints,
  type EndpointSubset,
  isReadyEndpoint,
  isTerminalPhase,
  type LoadBalancerIngress,
  type Service,
  SERVICE_NAME_LABEL,
  type ServicePort,
  type StoredEndpointSlice,
  type StoredKubeObject,
  type StoredPod,
} from '../../../api/index.ts';
import { conditionOf } from '../../table/pod-status.ts';
import { firstFew, labelText } from '../../text/labels.ts';
import { describeIdentity, line, optional } from '../lines.ts';

/** The lines of `describe` about a Service, without its events. */
export function describeService(service: StoredKubeObject & Service, source: EndpointsSource): string[] {
  const { spec = {}, status } = service;
  const { ports = [], clusterIPs = [], ipFamilies = [], sessionAffinity = 'None' } = spec;
  const ingress = status?.loadBalancer?.ingress ?? [];
  return [
    ...describeIdentity(service),
    line(0, 'Selector:', labelText(spec.selector)),
    line(0, 'Type:', spec.type ?? 'ClusterIP'),
    ...optional('IP Family Policy:', spec.ipFamilyPolicy),
    line(0, 'IP Families:', ipFamilies.join(',') || '<none>'),
    line(0, 'IP:', spec.clusterIP ?? ''),
    line(0, 'IPs:', clusterIPs.join(',') || '<none>'),
    ...optional('External IPs:', spec.externalIPs?.join(',')),
    ...optional('Desired LoadBalancer IP:', spec.loadBalancerIP),
    ...optional('External Name:', spec.externalName),
    ...optional('LoadBalancer Ingress:', ingress.map(ingressText).join(', ')),
    ...ports.flatMap((port) => {
      const { name = '<unset>', protocol = 'TCP', targetPort = port.port, appProtocol, nodePort } = port;
      return [
        line(0, 'Port:', name, `${port.port}/${protocol}`),
        line(0, 'TargetPort:', `${targetPort}/${protocol}`),
        ...optional('AppProtocol:', appProtocol),
        ...(nodePort ? [line(0, 'NodePort:', name, `${nodePort}/${protocol}`)] : []),
        line(0, 'Endpoints:', endpointsOf(service, port, source)),
      ];
    }),
    line(0, 'Session Affinity:', sessionAffinity),
    ...optional('External Traffic Policy:', spec.externalTrafficPolicy),
    ...optional('Internal Traffic Policy:', spec.internalTrafficPolicy),
    ...optional('HealthCheck NodePort:', spec.healthCheckNodePort || undefined),
    ...optional('LoadBalancer Source Ranges:', spec.loadBalancerSourceRanges?.join(',')),
  ];
}

function ingressText({ ip, ipMode, hostname }: LoadBalancerIngress): string {
  if (!ip) return hostname ?? '';
  return ipMode === undefined ? ip : `${ip} (${ipMode})`;
}

/** The objects of a namespace from which the endpoints of its Services follow. */
export interface EndpointsSource {
  readonly slices: readonly StoredEndpointSlice[];
  readonly pods: readonly StoredPod[];
}

/**
 * The addresses behind a port of a Service, from its EndpointSlices. Without EndpointSlices, the addresses of its Ready
 * Pods. Source: describe.go, formatEndpointSlices; pkg/controller/endpointslice.
 */
export function endpointsOf(
  service: StoredKubeObject & Service,
  port: ServicePort,
  { slices, pods }: EndpointsSource,
): string {
  const own = slices.filter(({ metadata }) => metadata.labels?.[SERVICE_NAME_LABEL] === service.metadata.name);
  if (own.length > 0) return firstFew(own.flatMap((slice) => addressesInSlice(slice, port)));
  const selector = Object.entries(service.spec?.selector ?? {});
  if (selector.length === 0) return '<none>';
  const selected = pods.filter(({ metadata: { labels = {} } }) =>
    selector.every(([key, value]) => labels[key] === value),
  );
  return firstFew(selected.filter(isServing).flatMap((pod) => addressOfPod(pod, port)));
}

function addressesInSlice({ endpoints, ports }: StoredEndpointSlice, { name = '' }: ServicePort): string[] {
  const ready = (endpoints ?? []).filter(isReadyEndpoint);
  const addresses = ready.map(({ addresses: [address = ''] }) => bracketed(address));
  return (ports ?? [])
    .filter((port) => (port.name ?? '') === name)
    .flatMap(({ port }) => addresses.map((address) => `${address}:${port ?? ''}`));
}

function isServing({ metadata, status }: StoredPod): boolean {
  if (!status.podIP || metadata.deletionTimestamp !== undefined || isTerminalPhase(status.phase)) return false;
  return conditionOf(status, 'Ready')?.status === 'True';
}

function addressOfPod(pod: StoredPod, port: ServicePort): string[] {
  const number = portOf(pod, port);
  return number === undefined ? [] : [`${bracketed(pod.status.podIP ?? '')}:${number}`];
}

/** The number of a target port. A name refers to a port of a container. */
function portOf({ spec }: StoredPod, { port, targetPort = port }: ServicePort): number | undefined {
  if (typeof targetPort === 'number') return targetPort;
  const ports = spec.containers.flatMap((container) => container.ports ?? []);
  return ports.find(({ name }) => name === targetPort)?.containerPort;
}

function bracketed(ip: string): string {
  return ip.includes(':') ? `[${ip}]` : ip;
}

/** The lines of `describe` about an EndpointSlice, without its events. */
export function describeEndpointSlice(slice: StoredEndpointSlice): string[] {
  const { addressType } = slice;
  const [ports, endpoints] = [slice.ports ?? [], slice.endpoints ?? []];
  return [
    ...describeIdentity(slice),
    line(0, 'AddressType:', addressType),
    ...describePorts(ports),
    ...(endpoints.length === 0 ? ['Endpoints: <none>'] : ['Endpoints:', ...endpoints.flatMap(describeEndpoint)]),
  ];
}

function describePorts(ports: readonly DiscoveryEndpointPort[]): string[] {
  if (ports.length === 0) return ['Ports: <unset>'];
  return [
    'Ports:',
    line(1, 'Name', 'Port', 'Protocol'),
    line(1, '----', '----', '--------'),
    ...ports.map(({ name, port, protocol }) => line(1, name || '<unset>', textOf(port), protocol ?? 'TCP')),
  ];
}

function describeEndpoint({ addresses, conditions, hostname, targetRef, nodeName, zone }: Endpoint): string[] {
  return [
    line(1, '- Addresses:', addresses.join(', ')),
    line(2, 'Conditions:'),
    line(3, 'Ready:', textOf(conditions?.ready)),
    line(2, 'Hostname:', textOf(hostname)),
    ...(targetRef === undefined ? [] : [line(2, 'TargetRef:', `${targetRef.kind ?? ''}/${targetRef.name ?? ''}`)]),
    line(2, 'NodeName:', textOf(nodeName)),
    line(2, 'Zone:', textOf(zone)),
  ];
}

function textOf(value: string | number | boolean | undefined): string {
  return value === undefined ? '<unset>' : String(value);
}

/** The lines of `describe` about an Endpoints object, without its events. Source: describe.go, describeEndpoints. */
export function describeEndpoints(endpoints: StoredKubeObject & Endpoints): string[] {
  return [...describeIdentity(endpoints), 'Subsets:', ...(endpoints.subsets ?? []).flatMap(describeSubset)];
}

function describeSubset({ addresses, notReadyAddresses, ports = [] }: EndpointSubset): string[] {
  return [
    line(1, 'Addresses:', list(addresses)),
    line(1, 'NotReadyAddresses:', list(notReadyAddresses)),
    ...(ports.length === 0 ? [] : [line(1, 'Ports:'), line(2, 'Name', 'Port', 'Protocol')]),
    ...(ports.length === 0 ? [] : [line(2, '----', '----', '--------')]),
    ...ports.map(({ name, port, protocol = 'TCP' }) => line(2, name || '<unset>', String(port), protocol)),
    '',
  ];
}

function list(addresses: readonly EndpointAddress[] = []): string {
  return addresses.map(({ ip }) => ip).join(',') || '<none>';
}
