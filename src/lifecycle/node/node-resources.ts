import {
  effectiveResources,
  type ParsedQuantity,
  type ParsedResources,
  parseQuantity,
  type PodSpec,
  quantityMilliValue,
  quantityValue,
  type StoredPod,
} from '../../api/index.ts';
import type { NodeFacts } from '../base/node-facts.ts';
import type { Shortage } from '../texts/resize.ts';
import { hostPorts } from './host-ports.ts';

/** The order in which shortages are listed. */
const ORDER: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

/** The resources that the node lacks for a Pod beside other Pods, by their specs. */
export function shortages(spec: PodSpec, node: NodeFacts, placed: readonly PodSpec[]): Shortage[] {
  const requests = placed.map((other) => effectiveResources(other, 'requests'));
  return shortagesBeside(effectiveResources(spec, 'requests'), node, requests);
}

/**
 * The resources that the node lacks for requests beside the requests of its Pods. An overcommitted node lacks no CPU,
 * memory or disk. Source: pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest.
 */
export function shortagesBeside(
  requests: ParsedResources,
  node: NodeFacts,
  held: readonly ParsedResources[],
): Shortage[] {
  const lacking: Shortage[] = [];
  const pods = BigInt(held.length);
  const podCapacity = allocatable(node, 'pods');
  if (pods + 1n > podCapacity) lacking.push({ resource: 'pods', requested: 1n, used: pods, capacity: podCapacity });
  const wanted = [...requests]
    .filter(([resource]) => node.isOvercommitted !== true || !mayBeOvercommitted(resource))
    .sort(([one], [other]) => rank(one) - rank(other) || one.localeCompare(other));
  for (const [resource, quantity] of wanted) {
    const requested = resourceUnits(resource, quantity);
    if (requested === 0n) continue;
    const used = held.reduce((sum, each) => sum + resourceUnits(resource, each.get(resource)), 0n);
    const capacity = allocatable(node, resource);
    if (requested > capacity - used) lacking.push({ resource, requested, used, capacity });
  }
  return lacking;
}

/** True for a resource of which an overcommitted node has any amount. */
export function mayBeOvercommitted(resource: string): boolean {
  return ORDER.includes(resource);
}

/** True when the node would be too small even without other Pods. */
export function isTooLarge(shortage: Shortage): boolean {
  return shortage.resource !== 'pods' && shortage.requested > shortage.capacity;
}

/**
 * True for a resource that an administrator added to a cluster, such as `example.com/dongle`. Source:
 * pkg/apis/core/v1/helper/helpers.go IsExtendedResourceName.
 */
export function isExtendedResource(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/');
}

function rank(resource: string): number {
  const position = ORDER.indexOf(resource);
  return position === -1 ? ORDER.length : position;
}

/** The amount of a resource that the node has for Pods, in the unit of `resourceUnits`. */
export function allocatable(node: NodeFacts, resource: string): bigint {
  if (!Object.hasOwn(node.allocatable, resource)) return 0n;
  return resourceUnits(resource, parseQuantity(node.allocatable[resource] ?? '0'));
}

/** An amount in the unit in which the scheduler computes: thousandths of a CPU, whole units of all else. */
export function resourceUnits(resource: string, quantity: ParsedQuantity | undefined): bigint {
  if (quantity === undefined) return 0n;
  return resource === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity);
}

/**
 * A text that changes when the resources in use change. While it is the same, a Pod that did not fit still does not
 * fit. Of Pods without requests and rules about other Pods only the number counts.
 * @param pod the Pod that waits
 */
export function resourcesKey({ spec: { affinity } }: StoredPod, placed: readonly StoredPod[]): string {
  const holders = affinity?.podAntiAffinity === undefined ? placed.filter(isParticular) : placed;
  const texts = holders.map(({ metadata: { uid, generation } }) => `${uid}/${generation ?? 0}`);
  return [placed.length, ...texts].join(' ');
}

/** True for a Pod in whose place another one would not be the same. */
function isParticular({ spec }: StoredPod): boolean {
  const hasRules = spec.affinity?.podAntiAffinity !== undefined;
  return hasRules || hostPorts(spec).length > 0 || effectiveResources(spec, 'requests').size > 0;
}
