import type { StoredPod } from '../../api/index.ts';
import { isPodReady } from '../base/pod-state.ts';
import { NO_MATCHES, NO_PODS, NO_READY_COUNT, NO_SAMPLES } from '../texts/autoscaler-metrics.ts';
import { groupPods, type PodGroups, requestsOf } from './group-pods.ts';
import { type MetricAnswer, type PodValue, REPLICAS_MAX } from './model.ts';

/**
 * The arithmetic of replicas: whole numbers of 64 bits for sums and doubles for ratios, as the controller has them.
 * Source: pkg/controller/podautoscaler/replica_calculator.go, metrics/utilization.go.
 */

/** The replicas that a metric asks for, and the use that its status shows. */
export interface Proposal {
  readonly replicas: number;
  /** In thousandths. */
  readonly value: bigint;
  /** In percent of the requests. */
  readonly percent?: number | undefined;
}

/** The Pods of a target, and how far a ratio may be from 1 without any effect. */
export interface ScaledPods {
  readonly pods: readonly StoredPod[];
  readonly current: number;
  readonly statusReplicas: number;
  readonly tolerance: { readonly up: number; readonly down: number };
  readonly nowMs: number;
}

interface UsageRatio {
  readonly ratio: number;
  readonly value: bigint;
  readonly percent?: number;
}

/** The proposal for a percentage of the requests. Source: GetResourceReplicas. */
export function byUtilization(
  target: ScaledPods,
  values: readonly PodValue[],
  { resource, container, percent }: { resource: string; container: string | undefined; percent: number },
): MetricAnswer<Proposal> {
  if (target.pods.length === 0) return { error: NO_PODS };
  const groups = groupPods(target.pods, values, resource, target.nowMs);
  if (groups.samples.size === 0) return { error: NO_SAMPLES };
  const requests = requestsOf(target.pods, resource, container);
  if ('error' in requests) return requests;
  const fallback = BigInt(Math.max(100, percent));
  const proposal = rebalanced(target, groups, {
    usageOf: (samples) => utilization(samples, requests.value, percent),
    whenMissing: (pod) => ((requests.value.get(pod) ?? 0n) * fallback) / 100n,
  });
  return proposal === undefined ? { error: NO_MATCHES } : { value: proposal };
}

/** The proposal for an average of all Pods. Source: calcPlainMetricReplicas. */
export function byAverage(
  target: ScaledPods,
  values: readonly PodValue[],
  resource: string,
  wanted: bigint,
): MetricAnswer<Proposal> {
  if (target.pods.length === 0) return { error: NO_PODS };
  const groups = groupPods(target.pods, values, resource, target.nowMs);
  if (groups.samples.size === 0) return { error: NO_SAMPLES };
  const proposal = rebalanced(target, groups, {
    usageOf: (samples) => average(samples, wanted),
    whenMissing: () => wanted,
  });
  return proposal === undefined ? { error: NO_SAMPLES } : { value: proposal };
}

interface Rebalance {
  readonly usageOf: (samples: ReadonlyMap<string, bigint>) => UsageRatio | undefined;
  /** The use that a Pod without a sample counts with on the way down. */
  readonly whenMissing: (pod: string) => bigint;
}

/** The proposal with Pods that have no samples: on the way up they use nothing, on the way down what they may use. */
function rebalanced(target: ScaledPods, groups: PodGroups, { usageOf, whenMissing }: Rebalance): Proposal | undefined {
  const { current } = target;
  const { readyCount, unready, missing, samples } = groups;
  const usage = usageOf(samples);
  if (usage === undefined) return undefined;
  const { ratio, value, percent } = usage;
  const proposed = (replicas: number): Proposal => ({ replicas: Math.min(replicas, REPLICAS_MAX), value, percent });
  const countsUnready = unready.length > 0 && ratio > 1;
  if (!countsUnready && missing.length === 0)
    return proposed(isWithin(target, ratio) ? current : Math.ceil(ratio * readyCount));
  const all = new Map(samples);
  if (ratio !== 1) for (const pod of missing) all.set(pod, ratio < 1 ? whenMissing(pod) : 0n);
  if (countsUnready) for (const pod of unready) all.set(pod, 0n);
  const again = usageOf(all)?.ratio;
  if (again === undefined) return undefined;
  const hasTurned = (ratio < 1 && again > 1) || (ratio > 1 && again < 1);
  if (isWithin(target, again) || hasTurned) return proposed(current);
  const replicas = Math.ceil(again * all.size);
  const isAgainst = (again < 1 && replicas > current) || (again > 1 && replicas < current);
  return proposed(isAgainst ? current : replicas);
}

/** Source: GetResourceUtilizationRatio. */
function utilization(
  samples: ReadonlyMap<string, bigint>,
  requests: ReadonlyMap<string, bigint>,
  percent: number,
): UsageRatio | undefined {
  const known = [...samples].filter(([pod]) => requests.has(pod));
  const used = known.reduce((sum, [, value]) => sum + value, 0n);
  const requested = known.reduce((sum, [pod]) => sum + (requests.get(pod) ?? 0n), 0n);
  if (requested === 0n) return undefined;
  const now = Number((used * 100n) / requested);
  return { ratio: now / percent, value: used / BigInt(known.length), percent: now };
}

/** Source: GetMetricUsageRatio. */
function average(samples: ReadonlyMap<string, bigint>, wanted: bigint): UsageRatio | undefined {
  if (samples.size === 0) return undefined;
  const value = [...samples.values()].reduce((sum, sample) => sum + sample, 0n) / BigInt(samples.size);
  return { ratio: Number(value) / Number(wanted), value };
}

/** The proposal for a value of the whole target: only ready Pods count. Source: getUsageRatioReplicaCount. */
export function byValue(target: ScaledPods, value: bigint, wanted: bigint): MetricAnswer<Proposal> {
  const ratio = Number(value) / Number(wanted);
  if (isWithin(target, ratio)) return { value: { replicas: target.current, value } };
  if (target.pods.length === 0) return { error: NO_READY_COUNT };
  const ready = target.pods.filter((pod) => pod.status.phase === 'Running' && isPodReady(pod)).length;
  return { value: { replicas: Math.min(Math.ceil(ratio * ready), REPLICAS_MAX), value } };
}

/** The proposal for a value that the replicas share. Source: GetObjectPerPodMetricReplicas. */
export function byShare(target: ScaledPods, value: bigint, wanted: bigint): Proposal {
  const { statusReplicas } = target;
  const isEnough = isWithin(target, Number(value) / (Number(wanted) * statusReplicas));
  const replicas = isEnough ? statusReplicas : Math.min(Math.ceil(Number(value) / Number(wanted)), REPLICAS_MAX);
  // Without replicas, there is no share.
  const share = statusReplicas === 0 ? value : BigInt(Math.ceil(Number(value) / statusReplicas));
  return { replicas, value: share };
}

function isWithin({ tolerance: { up, down } }: ScaledPods, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}
