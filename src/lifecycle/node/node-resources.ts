import {
  effectiveResources,
  type ParsedQuantity,
  type ParsedResources,
  parseQuantity,
  type PodSpec,
  quantityMilliValue,
  quantityValue,
} from '../../api/index.ts';
import type { NodeFacts } from '../base/node-facts.ts';
import type { Shortage } from '../texts/resize.ts';

/** The order in which shortages are listed. */
const ORDER: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

/** Amounts of resources: thousandths of a CPU, whole units of all else. */
export type ResourceAmounts = ReadonlyMap<string, bigint>;

/** The amounts that Pods of a node hold together. */
export interface HeldResources {
  /** The number of these Pods. */
  readonly pods: number;
  readonly amounts: ResourceAmounts;
}

/** The resources that the node lacks for a Pod beside other Pods, by their specs. */
export function shortages(spec: PodSpec, node: NodeFacts, placed: readonly PodSpec[]): Shortage[] {
  const amounts = (each: PodSpec): ResourceAmounts => resourceAmounts(effectiveResources(each, 'requests'));
  return shortagesBeside(amounts(spec), node, heldTogether(placed.map(amounts)));
}

/** Adds up what Pods hold. */
export function heldTogether(pods: readonly ResourceAmounts[]): HeldResources {
  const amounts = new Map<string, bigint>();
  for (const pod of pods) for (const [name, amount] of pod) amounts.set(name, (amounts.get(name) ?? 0n) + amount);
  return { pods: pods.length, amounts };
}

export function resourceAmounts(resources: ParsedResources): ResourceAmounts {
  return new Map([...resources].map(([name, quantity]) => [name, resourceUnits(name, quantity)]));
}

/**
 * The resources that the node lacks for requests beside the requests of its Pods. An overcommitted node lacks no CPU,
 * memory or disk. Source: pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest.
 */
export function shortagesBeside(requests: ResourceAmounts, node: NodeFacts, held: HeldResources): Shortage[] {
  const lacking: Shortage[] = [];
  const pods = BigInt(held.pods);
  const podCapacity = allocatable(node, 'pods');
  if (pods + 1n > podCapacity) lacking.push({ resource: 'pods', requested: 1n, used: pods, capacity: podCapacity });
  const wanted = [...requests]
    .filter(([resource]) => node.isOvercommitted !== true || !mayBeOvercommitted(resource))
    .sort(([one], [other]) => rank(one) - rank(other) || one.localeCompare(other));
  for (const [resource, requested] of wanted) {
    if (requested === 0n) continue;
    const used = held.amounts.get(resource) ?? 0n;
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

/** By list of resources, since each attempt to place a Pod asks for the same nodes. */
const ALLOCATABLE = new WeakMap<object, Map<string, bigint>>();

/** The amount of a resource that the node has for Pods: see ResourceAmounts. */
export function allocatable({ allocatable: all }: NodeFacts, resource: string): bigint {
  const known = ALLOCATABLE.get(all) ?? new Map<string, bigint>();
  ALLOCATABLE.set(all, known);
  const before = known.get(resource);
  if (before !== undefined) return before;
  const amount = Object.hasOwn(all, resource) ? resourceUnits(resource, parseQuantity(all[resource] ?? '0')) : 0n;
  known.set(resource, amount);
  return amount;
}

/** An amount in the unit in which the scheduler computes: thousandths of a CPU, whole units of all else. */
function resourceUnits(resource: string, quantity: ParsedQuantity | undefined): bigint {
  if (quantity === undefined) return 0n;
  return resource === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity);
}
