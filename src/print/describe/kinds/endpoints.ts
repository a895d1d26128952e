import {
  isReadyEndpoint,
  isTerminalPhase,
  type Service,
  SERVICE_NAME_LABEL,
  type ServicePort,
  type StoredEndpointSlice,
  type StoredKubeObject,
  type StoredPod,
} from '../../../api/index.ts';
import { conditionOf } from '../../table/pod-status.ts';
import { firstFew } from '../../text/labels.ts';

/** The objects of a namespace from which the endpoints of its Services follow. */
export interface EndpointsSource {
  readonly slices: readonly StoredEndpointSlice[];
  readonly pods: readonly StoredPod[];
}

/**
 * The addresses behind a port of a Service: those in its EndpointSlices. Without EndpointSlices, those of its Ready
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
