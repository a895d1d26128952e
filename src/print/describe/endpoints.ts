import type { Service, ServicePort } from '../../api/generated/types.ts';
import { isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { conditionOf } from '../table/pod-status.ts';

/** The number of addresses to show. */
const SHOWN = 3;

/**
 * The addresses behind a port of a Service: those of its Ready Pods, as in an endpoint slice.
 * Source: pkg/describe formatEndpointSlices, pkg/controller/endpointslice.
 */
export function endpointsOf({ spec }: Service, port: ServicePort, pods: readonly StoredPod[]): string {
  const selector = Object.entries(spec?.selector ?? {});
  if (selector.length === 0) return '<none>';
  const selected = pods.filter(({ metadata: { labels = {} } }) =>
    selector.every(([key, value]) => labels[key] === value),
  );
  const addresses = selected.filter(isServing).flatMap((pod) => {
    const number = portOf(pod, port);
    return number === undefined ? [] : [`${bracketed(pod.status.podIP ?? '')}:${number}`];
  });
  const shown = addresses.slice(0, SHOWN).join(',');
  return addresses.length <= SHOWN ? shown : `${shown} + ${addresses.length - SHOWN} more...`;
}

function isServing({ metadata, status }: StoredPod): boolean {
  if (!status.podIP || metadata.deletionTimestamp !== undefined || isTerminalPhase(status.phase)) return false;
  return conditionOf(status, 'Ready')?.status === 'True';
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
