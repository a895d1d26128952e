import type { Service, ServicePort } from '../../api/generated/types.ts';
import { isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { conditionOf } from '../pod-status.ts';

/** So many addresses are named. */
const SHOWN = 3;

/**
 * Where a port of a Service leads: the addresses of its Pods that are Ready, as an endpoint slice would have them.
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

/** A port may be named by the containers. */
function portOf({ spec }: StoredPod, { port, targetPort = port }: ServicePort): number | undefined {
  if (typeof targetPort === 'number') return targetPort;
  const ports = spec.containers.flatMap((container) => container.ports ?? []);
  return ports.find(({ name }) => name === targetPort)?.containerPort;
}

function bracketed(ip: string): string {
  return ip.includes(':') ? `[${ip}]` : ip;
}
