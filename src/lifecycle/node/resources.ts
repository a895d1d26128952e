import type { PodSpec } from '../../api/generated/types.ts';
import { aggregateContainerResources, isPodLevelResource, type ParsedResources } from '../../api/pod-resources.ts';
import { addQuantities, parseQuantity } from '../../api/quantity.ts';

/**
 * The effective requests or limits of a Pod: the aggregate of its containers, overridden by the Pod's own, plus the
 * overhead. The overhead increases a limit only if there is one. Source:
 * staging/src/k8s.io/component-helpers/resource/helpers.go PodRequests, PodLimits.
 */
export function effectiveResources(spec: PodSpec, kind: 'requests' | 'limits'): ParsedResources {
  const effective = new Map(aggregateContainerResources(spec, kind));
  for (const [name, quantity] of Object.entries(spec.resources?.[kind] ?? {})) {
    if (isPodLevelResource(name)) effective.set(name, parseQuantity(quantity));
  }
  for (const [name, quantity] of Object.entries(spec.overhead ?? {})) {
    const overhead = parseQuantity(quantity);
    const before = effective.get(name);
    if (before !== undefined && (kind === 'requests' || before.nano > 0n)) {
      effective.set(name, addQuantities(before, overhead));
    } else if (before === undefined && kind === 'requests') {
      effective.set(name, overhead);
    }
  }
  return effective;
}
