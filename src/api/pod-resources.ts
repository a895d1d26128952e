import type { PodSpec, PodStatus } from './generated/types.ts';
import { addQuantities, compareQuantities, parseQuantity, type ParsedQuantity } from './quantity.ts';

type ResourceKind = 'requests' | 'limits';
type ResourceList = Readonly<Record<string, string | undefined>>;
export type ParsedResources = ReadonlyMap<string, ParsedQuantity>;

interface Resources {
  readonly limits?: ResourceList | undefined;
  readonly requests?: ResourceList | undefined;
}

interface ContainerResources {
  readonly restartPolicy?: string | undefined;
  readonly resources?: Resources | undefined;
}

/** The part of a Pod's spec that determines its resources. */
export interface PodResources {
  readonly containers?: readonly ContainerResources[] | undefined;
  readonly initContainers?: readonly ContainerResources[] | undefined;
  readonly resources?: Resources | undefined;
}

export type QosClass = NonNullable<PodStatus['qosClass']>;

const QOS_RESOURCES = ['cpu', 'memory'] as const;

/** True for huge pages, which are one resource per size. */
export function isHugePages(resource: string): boolean {
  return resource.startsWith('hugepages-');
}

/** True when requests may be below limits: not for huge pages and devices. */
export function isOvercommittable(resource: string): boolean {
  const isNative = !resource.includes('/') || resource.includes('kubernetes.io/');
  return isNative && !isHugePages(resource);
}

/** True for resources that a Pod may set as a whole. */
export function isPodLevelResource(resource: string): boolean {
  return resource === 'cpu' || resource === 'memory' || isHugePages(resource);
}

/**
 * The resources of a Pod's containers together: regular containers and sidecars run in parallel, plain init containers
 * one after the other beside the earlier sidecars. Source: staging/src/k8s.io/component-helpers/resource/helpers.go,
 * AggregateContainerRequests.
 */
export function aggregateContainerResources(spec: PodResources, kind: ResourceKind): ParsedResources {
  const total = new Map<string, ParsedQuantity>();
  const sidecars = new Map<string, ParsedQuantity>();
  const initPeak = new Map<string, ParsedQuantity>();
  for (const container of spec.containers ?? []) addTo(total, parsedResources(container.resources, kind));
  for (const container of spec.initContainers ?? []) {
    const own = parsedResources(container.resources, kind);
    if (container.restartPolicy === 'Always') {
      addTo(total, own);
      addTo(sidecars, own);
      raiseTo(initPeak, sidecars);
    } else {
      const meanwhile = new Map(sidecars);
      addTo(meanwhile, own);
      raiseTo(initPeak, meanwhile);
    }
  }
  raiseTo(total, initPeak);
  return total;
}

/**
 * The effective requests or limits of a Pod: the aggregate of its containers, overridden by the Pod's own, plus the
 * overhead. The overhead increases a limit only if there is one. Source:
 * staging/src/k8s.io/component-helpers/resource/helpers.go PodRequests, PodLimits.
 */
export function effectiveResources(
  spec: PodResources & Pick<PodSpec, 'overhead'>,
  kind: ResourceKind,
): ParsedResources {
  const effective = new Map(aggregateContainerResources(spec, kind));
  for (const [name, quantity] of parsedResources(spec.resources, kind)) {
    if (isPodLevelResource(name)) effective.set(name, quantity);
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

function parsedResources(resources: Resources | undefined, kind: ResourceKind): ParsedResources {
  const parsed = new Map<string, ParsedQuantity>();
  for (const [name, quantity] of Object.entries(resources?.[kind] ?? {})) {
    if (quantity !== undefined) parsed.set(name, parseQuantity(quantity));
  }
  return parsed;
}

function addTo(sums: Map<string, ParsedQuantity>, list: ParsedResources): void {
  for (const [name, quantity] of list) {
    const sum = sums.get(name);
    sums.set(name, sum === undefined ? quantity : addQuantities(sum, quantity));
  }
}

function raiseTo(peaks: Map<string, ParsedQuantity>, list: ParsedResources): void {
  for (const [name, quantity] of list) {
    const peak = peaks.get(name);
    if (peak === undefined || compareQuantities(quantity, peak) > 0) peaks.set(name, quantity);
  }
}

/**
 * The QoS class of a Pod. Guaranteed: every container (init containers too) has limits for cpu and memory that equal
 * its requests. BestEffort: no value is above zero. Burstable: any other Pod. Resources of the Pod as a whole decide
 * alone. Expects defaulted requests. Source: pkg/apis/core/v1/helper/qos/qos.go, ComputePodQOS.
 */
export function qosClassOf(spec: PodResources): QosClass {
  const { limits: podLimits = {}, requests: podRequests = {} } = spec.resources ?? {};
  const isPodLevel = [...Object.keys(podLimits), ...Object.keys(podRequests)].some(isPodLevelResource);
  const containers = isPodLevel
    ? [{ resources: spec.resources }]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const requests = new Map<string, ParsedQuantity>();
  const limits = new Map<string, ParsedQuantity>();
  let isGuaranteed = true;
  for (const container of containers) {
    const ownLimits = qosResources(container.resources, 'limits');
    addTo(requests, qosResources(container.resources, 'requests'));
    addTo(limits, ownLimits);
    if (!QOS_RESOURCES.every((name) => ownLimits.has(name))) isGuaranteed = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const areEqual = QOS_RESOURCES.every((name) => requests.get(name)?.nano === limits.get(name)?.nano);
  return isGuaranteed && areEqual ? 'Guaranteed' : 'Burstable';
}

/** The values above zero of cpu and memory. */
function qosResources(resources: Resources | undefined, kind: ResourceKind): ParsedResources {
  const parsed = [...parsedResources(resources, kind)];
  return new Map(parsed.filter(([name, quantity]) => (name === 'cpu' || name === 'memory') && quantity.nano > 0n));
}
