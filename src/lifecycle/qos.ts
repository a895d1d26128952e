import type { PodSpec, PodStatus, ResourceRequirements } from '../api/generated/types.ts';
import { amounts, isPodLevelResource } from './resources.ts';

/** Only these decide the class. */
const DECISIVE: readonly string[] = ['cpu', 'memory'];

/**
 * The quality of service class of a Pod. BestEffort: it asks for nothing. Guaranteed: everything has a cpu and a
 * memory limit, and the requests equal them. Burstable: the rest. Resources of the Pod itself, when set, decide alone.
 * Source: pkg/apis/core/v1/helper/qos/qos.go.
 */
export function qosClass(spec: PodSpec): NonNullable<PodStatus['qosClass']> {
  const deciding = hasPodLevelResources(spec)
    ? [spec.resources]
    : [...spec.containers, ...(spec.initContainers ?? [])].map((container) => container.resources);
  const requests = new Map<string, bigint>();
  const limits = new Map<string, bigint>();
  let allLimited = true;
  for (const resources of deciding) {
    count(requests, resources?.requests);
    const limited = count(limits, resources?.limits);
    allLimited &&= limited === DECISIVE.length;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const equal = DECISIVE.every((name) => requests.get(name) === limits.get(name));
  return allLimited && equal ? 'Guaranteed' : 'Burstable';
}

function hasPodLevelResources(spec: PodSpec): boolean {
  const { requests, limits } = spec.resources ?? {};
  return [...Object.keys(requests ?? {}), ...Object.keys(limits ?? {})].some(isPodLevelResource);
}

/** Adds the amounts above zero to the sums. Returns how many decisive resources had one. */
function count(sums: Map<string, bigint>, list: ResourceRequirements['requests']): number {
  const counted = amounts(list).filter(([name, quantity]) => DECISIVE.includes(name) && quantity.nano > 0n);
  for (const [name, quantity] of counted) sums.set(name, (sums.get(name) ?? 0n) + quantity.nano);
  return counted.length;
}
