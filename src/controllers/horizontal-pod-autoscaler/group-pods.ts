import {
  effectiveResources,
  isPodLevelResource,
  parseQuantity,
  parseTime,
  quantityMilliValue,
  type StoredPod,
} from '../../api/index.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
import { readyConditionOf } from '../base/pod-state.ts';
import { missingPodRequest, missingRequest } from '../texts/autoscaler-metrics.ts';
import { type MetricAnswer, CPU_INITIALIZATION_MS, INITIAL_READINESS_DELAY_MS, type PodValue } from './model.ts';

/** The Pods of a target in groups, by their names. Source: replica_calculator.go groupPods. */
export interface PodGroups {
  readonly readyCount: number;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  /** The samples that count. */
  readonly samples: ReadonlyMap<string, bigint>;
}

/** @param resource readiness counts for `cpu` only */
export function groupPods(
  pods: readonly StoredPod[],
  values: readonly PodValue[],
  resource: string,
  nowMs: number,
): PodGroups {
  const byPod = new Map(values.map((value) => [value.pod, value]));
  const samples = new Map(values.map(({ pod, value }) => [pod, value]));
  const unready: string[] = [];
  const missing: string[] = [];
  let readyCount = 0;
  for (const pod of pods) {
    const { name } = pod.metadata;
    const sample = byPod.get(name);
    if (hasDeletionTimestamp(pod) || pod.status.phase === 'Failed') samples.delete(name);
    else if (pod.status.phase === 'Pending') unready.push(name);
    else if (sample === undefined) missing.push(name);
    else if (resource === 'cpu' && isUnready(pod, sample, nowMs)) unready.push(name);
    else readyCount += 1;
  }
  for (const name of unready) samples.delete(name);
  return { readyCount, unready, missing, samples };
}

/** True for a Pod whose use of the processor says nothing yet: it starts, or it was never ready. */
function isUnready(pod: StoredPod, { atMs, windowMs }: PodValue, nowMs: number): boolean {
  const condition = readyConditionOf(pod);
  const { startTime } = pod.status;
  if (condition === undefined || typeof startTime !== 'string') return true;
  const startMs = parseTime(startTime);
  const changedMs = parseTime(condition.lastTransitionTime ?? '');
  const isFalse = condition.status === 'False';
  if (startMs + CPU_INITIALIZATION_MS > nowMs) return isFalse || atMs < changedMs + windowMs;
  return isFalse && startMs + INITIAL_READINESS_DELAY_MS > changedMs;
}

/**
 * The requests of Pods in thousandths: of the Pod if it has any of its own, else of its containers and sidecars.
 * Source: replica_calculator.go calculateRequests.
 * @param container undefined: all containers
 */
export function requestsOf(
  pods: readonly StoredPod[],
  resource: string,
  container: string | undefined,
): MetricAnswer<ReadonlyMap<string, bigint>> {
  const requests = new Map<string, bigint>();
  for (const pod of pods) {
    const hasOwn = Object.keys(pod.spec.resources?.requests ?? {}).some(isPodLevelResource);
    const isOfPod = hasOwn && container === undefined;
    const request = isOfPod ? requestOfPod(pod, resource) : requestOfContainers(pod, resource, container);
    if ('error' in request) return request;
    requests.set(pod.metadata.name, request.value);
  }
  return { value: requests };
}

function requestOfPod({ metadata, spec }: StoredPod, resource: string): MetricAnswer<bigint> {
  const request = effectiveResources(spec, 'requests').get(resource);
  if (request === undefined) return { error: missingPodRequest(resource, metadata.name) };
  return { value: quantityMilliValue(request) };
}

function requestOfContainers(
  { metadata, spec }: StoredPod,
  resource: string,
  container: string | undefined,
): MetricAnswer<bigint> {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  let sum = 0n;
  for (const { name, resources } of [...spec.containers, ...sidecars]) {
    if (container !== undefined && container !== name) continue;
    const request = resources?.requests?.[resource];
    if (request === undefined) return { error: missingRequest(resource, name, metadata.name) };
    sum += quantityMilliValue(parseQuantity(request));
  }
  return { value: sum };
}
