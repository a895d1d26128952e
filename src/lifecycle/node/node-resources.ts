import type { PodSpec } from '../../api/generated/types.ts';
import { type ParsedQuantity, parseQuantity, quantityMilliValue, quantityValue } from '../../api/quantity.ts';
import type { NodeFacts } from './node-facts.ts';
import { effectiveResources } from './resources.ts';

/** A resource that a node does not have enough of. Amounts are whole units, of cpu thousandths of a core. */
export interface Shortage {
  readonly resource: string;
  readonly requested: bigint;
  /** What other Pods on the node hold. */
  readonly used: bigint;
  readonly capacity: bigint;
}

/** The order in which shortages are told. */
const ORDER: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

/**
 * What the node lacks to take the Pod in beside those it has.
 * Source: pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest.
 */
export function shortages(spec: PodSpec, node: NodeFacts, placed: readonly PodSpec[]): Shortage[] {
  const found: Shortage[] = [];
  const pods = BigInt(placed.length);
  const podCapacity = allocatable(node, 'pods');
  if (pods + 1n > podCapacity) found.push({ resource: 'pods', requested: 1n, used: pods, capacity: podCapacity });
  const wanted = [...effectiveResources(spec, 'requests')].sort(([a], [b]) => rank(a) - rank(b));
  // Who requests nothing need not know what the others hold.
  if (wanted.length === 0) return found;
  const held = placed.map((other) => effectiveResources(other, 'requests'));
  for (const [resource, quantity] of wanted) {
    const requested = units(resource, quantity);
    const used = held.reduce((sum, requests) => sum + units(resource, requests.get(resource)), 0n);
    const capacity = allocatable(node, resource);
    if (requested > 0n && requested > capacity - used) found.push({ resource, requested, used, capacity });
  }
  return found;
}

/** Would the node be too small even with nothing else on it? */
export function isTooLarge(shortage: Shortage): boolean {
  return shortage.resource !== 'pods' && shortage.requested > shortage.capacity;
}

/**
 * Is this a resource that somebody added to a cluster, such as `example.com/dongle`?
 * Source: pkg/apis/core/v1/helper/helpers.go IsExtendedResourceName.
 */
export function isExtendedResource(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/');
}

function rank(resource: string): number {
  const place = ORDER.indexOf(resource);
  return place === -1 ? ORDER.length : place;
}

function allocatable(node: NodeFacts, resource: string): bigint {
  if (!Object.hasOwn(node.allocatable, resource)) return 0n;
  return units(resource, parseQuantity(node.allocatable[resource] ?? '0'));
}

function units(resource: string, quantity: ParsedQuantity | undefined): bigint {
  if (quantity === undefined) return 0n;
  return resource === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity);
}
