import type { Container, PodSpec, Quantity } from '../api/generated/types.ts';
import { isSidecar } from '../api/objects.ts';
import { addQuantities, compareQuantities, type ParsedQuantity, parseQuantity } from '../api/quantity.ts';

/** Amounts by resource name, for example `cpu` and `memory`. */
export type ResourceAmounts = ReadonlyMap<string, ParsedQuantity>;

type Kind = 'requests' | 'limits';

/**
 * What a Pod asks a node for: the larger of what its regular containers and sidecars need together, and what any
 * init container needs together with the sidecars started before it; requests of the Pod itself replace that; the
 * overhead comes on top. Source: staging/src/k8s.io/component-helpers/resource/helpers.go PodRequests.
 */
export function podRequests(spec: PodSpec): ResourceAmounts {
  const requests = aggregate(spec, 'requests');
  overrideByPodLevel(requests, spec, 'requests');
  for (const [name, overhead] of amounts(spec.overhead)) add(requests, name, overhead);
  return requests;
}

/** What a Pod may use at most, computed like its requests. Overhead only raises a limit that is there. */
export function podLimits(spec: PodSpec): ResourceAmounts {
  const limits = aggregate(spec, 'limits');
  overrideByPodLevel(limits, spec, 'limits');
  for (const [name, overhead] of amounts(spec.overhead)) {
    if ((limits.get(name)?.nano ?? 0n) > 0n) add(limits, name, overhead);
  }
  return limits;
}

/** Can the Pod itself, rather than its containers, request this resource? */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/** A resource list, parsed. */
export function amounts(list: Readonly<Record<string, Quantity>> | undefined): [string, ParsedQuantity][] {
  return Object.entries(list ?? {}).map(([name, quantity]) => [name, parseQuantity(quantity)]);
}

function aggregate(spec: PodSpec, kind: Kind): Map<string, ParsedQuantity> {
  const together = new Map<string, ParsedQuantity>();
  for (const container of spec.containers) addAll(together, container, kind);
  const sidecarsSoFar = new Map<string, ParsedQuantity>();
  const initPeak = new Map<string, ParsedQuantity>();
  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container)) {
      addAll(together, container, kind);
      addAll(sidecarsSoFar, container, kind);
      raiseAll(initPeak, sidecarsSoFar);
    } else {
      const duringInit = new Map(sidecarsSoFar);
      addAll(duringInit, container, kind);
      raiseAll(initPeak, duringInit);
    }
  }
  raiseAll(together, initPeak);
  return together;
}

function overrideByPodLevel(target: Map<string, ParsedQuantity>, spec: PodSpec, kind: Kind): void {
  for (const [name, quantity] of amounts(spec.resources?.[kind])) {
    if (isPodLevelResource(name)) target.set(name, quantity);
  }
}

function addAll(target: Map<string, ParsedQuantity>, container: Container, kind: Kind): void {
  for (const [name, quantity] of amounts(container.resources?.[kind])) add(target, name, quantity);
}

function add(target: Map<string, ParsedQuantity>, name: string, quantity: ParsedQuantity): void {
  const before = target.get(name);
  target.set(name, before === undefined ? quantity : addQuantities(before, quantity));
}

function raiseAll(target: Map<string, ParsedQuantity>, floor: ResourceAmounts): void {
  for (const [name, quantity] of floor) {
    const before = target.get(name);
    if (before === undefined || compareQuantities(before, quantity) < 0) target.set(name, quantity);
  }
}
