import { isCritical, priorityOf } from './priority.ts';
import {
  allContainers,
  type Container,
  effectiveResources,
  formatQuantity,
  type ParsedQuantity,
  parseQuantity,
  qosClassOf,
  type StoredPod,
  type Taint,
} from '../../api/index.ts';
import { hasUntoleratedTaint } from './taints.ts';
import { EVICTION } from '../texts/pod-reasons.ts';

/** A kubelet's eviction signals that podrun measures: bytes of memory, and of the disk of the state folder. */
export const EVICTION_SIGNALS = ['memory.available', 'nodefs.available'] as const;
export type EvictionSignal = (typeof EVICTION_SIGNALS)[number];

/** A node's conditions while one of its thresholds is met. */
export const NODE_PRESSURES = ['MemoryPressure', 'DiskPressure'] as const;
export type NodePressure = (typeof NODE_PRESSURES)[number];

/** An eviction threshold: the least that must be available. */
export interface EvictionThreshold {
  readonly signal: EvictionSignal;
  /** An amount, or a share of the capacity between 0 and 1. */
  readonly least: { readonly quantity: string } | { readonly share: number };
  /** The time for which a soft threshold must be met before a Pod is evicted. Undefined: a hard threshold. */
  readonly graceMs?: number | undefined;
}

/** The settings of a kubelet for evictions. Plain data. Source: KubeletConfiguration, `evictionHard` and so on. */
export interface EvictionSettings {
  readonly thresholds: readonly EvictionThreshold[];
  /** The longest grace period of a Pod that a soft threshold evicts. */
  readonly maxPodGraceSeconds: number;
}

/** The amount of a resource that is available, in bytes. */
export interface SignalReading {
  readonly available: number;
  readonly capacity: number;
}

export type NodeReadings = Readonly<Record<EvictionSignal, SignalReading>>;

/** The results of earlier looks. Times are stopwatch milliseconds. */
export interface PressureMemory {
  /** The time since which a threshold has been met without a break. */
  readonly metSinceMs: ReadonlyMap<EvictionThreshold, number>;
  /** The last time at which a condition had a cause. */
  readonly lastSeenMs: ReadonlyMap<NodePressure, number>;
}

export const NO_PRESSURE: PressureMemory = { metSinceMs: new Map(), lastSeenMs: new Map() };

interface Look {
  readonly memory: PressureMemory;
  readonly conditions: readonly NodePressure[];
  /** The threshold because of which one Pod goes now. */
  readonly due: EvictionThreshold | undefined;
}

const RESOURCES: Readonly<
  Record<EvictionSignal, { readonly resource: 'memory' | 'ephemeral-storage'; readonly pressure: NodePressure }>
> = {
  'memory.available': { resource: 'memory', pressure: 'MemoryPressure' },
  'nodefs.available': { resource: 'ephemeral-storage', pressure: 'DiskPressure' },
};

/** Source: staging/src/k8s.io/api/core/v1/well_known_taints.go. */
export const PRESSURE_TAINTS: Readonly<Record<NodePressure, string>> = {
  MemoryPressure: 'node.kubernetes.io/memory-pressure',
  DiskPressure: 'node.kubernetes.io/disk-pressure',
};

/** The time for which a condition stays after its cause. Source: evictionPressureTransitionPeriod. */
const TRANSITION_MS = 300_000;

/**
 * The taints that keep further Pods away from a node under pressure. A Pod with any request or limit tolerates memory
 * pressure. Source: pkg/controller/nodelifecycle/node_lifecycle_controller.go, plugin/pkg/admission/priority.
 */
export function pressureTaints(pod: StoredPod, pressure: readonly NodePressure[]): Taint[] {
  return nodePressureTaints(pressure.filter((type) => type !== 'MemoryPressure' || isBestEffort(pod)));
}

/** The taints of a node under pressure. */
export function nodePressureTaints(pressure: readonly NodePressure[]): Taint[] {
  return pressure.map((type) => ({ key: PRESSURE_TAINTS[type], effect: 'NoSchedule' }));
}

/**
 * True when the kubelet rejects a Pod because of what the node lacks: any Pod without disk space, Pods without requests
 * and limits without memory. Source: pkg/kubelet/eviction/eviction_manager.go Admit.
 */
export function isUnwelcome(pod: StoredPod, pressure: readonly NodePressure[]): boolean {
  if (pressure.length === 0 || isCritical(pod)) return false;
  if (pressure.some((type) => type !== 'MemoryPressure')) return true;
  return isBestEffort(pod) && hasUntoleratedTaint(pod.spec, pressureTaints(pod, pressure), ['NoSchedule']);
}

function isBestEffort({ spec }: StoredPod): boolean {
  return qosClassOf(spec) === 'BestEffort';
}

/** The resource of which a Pod's usage decides. */
export function resourceOf({ signal }: EvictionThreshold): 'memory' | 'ephemeral-storage' {
  return RESOURCES[signal].resource;
}

/**
 * Compares the readings with the thresholds. Memory comes before the disk. Source:
 * pkg/kubelet/eviction/eviction_manager.go synchronize.
 */
export function lookAtPressure(
  before: PressureMemory,
  { thresholds }: EvictionSettings,
  readings: NodeReadings,
  nowMs: number,
): Look {
  const met = thresholds.filter((threshold) => isMet(threshold, readings));
  const metSinceMs = new Map(met.map((threshold) => [threshold, before.metSinceMs.get(threshold) ?? nowMs]));
  const lastSeenMs = new Map([
    ...before.lastSeenMs,
    ...met.map(({ signal }) => [RESOURCES[signal].pressure, nowMs] as const),
  ]);
  const conditions = [...lastSeenMs].flatMap(([type, seenMs]) => (nowMs - seenMs < TRANSITION_MS ? type : []));
  const due = met.filter((threshold) => nowMs - (metSinceMs.get(threshold) ?? nowMs) >= (threshold.graceMs ?? 0));
  const bySignal = (signal: EvictionSignal): EvictionThreshold[] => due.filter((one) => one.signal === signal);
  return { memory: { metSinceMs, lastSeenMs }, conditions, due: EVICTION_SIGNALS.flatMap(bySignal)[0] };
}

function isMet(threshold: EvictionThreshold, readings: NodeReadings): boolean {
  const reading = readings[threshold.signal];
  return bytes(reading.available).nano < leastOf(threshold, reading).nano;
}

function leastOf({ least }: EvictionThreshold, { capacity }: SignalReading): ParsedQuantity {
  return 'quantity' in least ? parseQuantity(least.quantity) : bytes(Math.floor(capacity * least.share));
}

/** A Pod that runs, and the use of a resource by its containers, in bytes. */
export interface PodUse {
  readonly pod: StoredPod;
  readonly byContainer: ReadonlyMap<string, number>;
}

/** The Pod to evict. */
export interface Eviction {
  readonly pod: StoredPod;
  /** The message of the event and of the status. */
  readonly message: string;
  readonly graceSeconds: number;
}

/**
 * Chooses the Pod to evict: first a Pod that uses more than it has requested, then the Pod with the lowest priority,
 * then the Pod that is furthest above its request. Critical Pods stay. Source: pkg/kubelet/eviction/helpers.go
 * rankMemoryPressure, rankDiskPressureFunc, evictionMessage.
 */
export function chooseEviction(
  threshold: EvictionThreshold,
  reading: SignalReading,
  uses: readonly PodUse[],
  { maxPodGraceSeconds }: EvictionSettings,
): Eviction | undefined {
  const resource = resourceOf(threshold);
  const ranked = uses
    .filter(({ pod }) => !isCritical(pod))
    .map((use) => ({ ...use, excess: excessOf(use, resource) }))
    .toSorted(
      (a, b) =>
        Number(b.excess > 0n) - Number(a.excess > 0n) ||
        priorityOf(a.pod) - priorityOf(b.pod) ||
        Number(b.excess - a.excess),
    );
  const [first] = ranked;
  if (first === undefined) return undefined;
  const { pod, byContainer } = first;
  const what = {
    resource,
    least: formatQuantity(leastOf(threshold, reading)),
    available: formatQuantity(bytes(reading.available)),
  };
  const message = EVICTION.node(what) + allContainers(pod.spec).map(consumerText).join('');
  const ownSeconds = pod.spec.terminationGracePeriodSeconds ?? 30;
  return { pod, message, graceSeconds: threshold.graceMs === undefined ? 1 : Math.min(maxPodGraceSeconds, ownSeconds) };

  function consumerText(container: Container): string {
    const used = bytes(byContainer.get(container.name) ?? 0);
    const request = parseQuantity(container.resources?.requests?.[resource] ?? '0');
    if (used.nano <= request.nano) return '';
    return EVICTION.consumer({
      container: container.name,
      used: formatQuantity(used),
      request: formatQuantity(request),
      resource,
    });
  }
}

/** The use above the request, in nano units. */
function excessOf({ pod, byContainer }: PodUse, resource: string): bigint {
  const used = [...byContainer.values()].reduce((sum, each) => sum + each, 0);
  return bytes(used).nano - (effectiveResources(pod.spec, 'requests').get(resource)?.nano ?? 0n);
}

function bytes(count: number): ParsedQuantity {
  return { nano: BigInt(Math.floor(count)) * 1_000_000_000n, format: 'binary' };
}
