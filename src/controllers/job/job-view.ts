import { isTerminalPhase, type JobSpec, type JobStatus, type StoredPod } from '../../api/index.ts';
import type { BackOffLimits } from '../../lifecycle/index.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
import { isActive, isPodReady, isTerminating } from '../base/pod-state.ts';
import type { PodsInput, StoredJob } from '../base/reconcile.ts';
import { countsAsFailure, failureVerdict, finishedAtMs } from './failures.ts';
import { IndexSet } from './indexes.ts';
import { failureCountOf, hasJobFinalizer, ignoredCountOf, indexOf, isFailed, isIndexed } from './job-pods.ts';

/** Beside Pods: what a Job's controller knows. */
export interface JobInput extends PodsInput {
  /** The delays after failures. Undefined: the defaults of a cluster. */
  readonly delay?: BackOffLimits | undefined;
  /**
   * The last states of Pods of the Job that are gone, as far as the loop saw them. Only the delay after failures looks
   * at them: a deleted Pod is a failure, and leaves nothing else behind that says when.
   */
  readonly removedPods?: readonly StoredPod[] | undefined;
}

/** The counts of one sync of a Job. Source: pkg/controller/job/job_controller.go syncJob, type syncJobCtx. */
export interface JobView {
  readonly job: StoredJob;
  readonly spec: JobSpec;
  /** The status, with uids moved into the counters whose Pods have lost their finalizer. */
  readonly status: JobStatus;
  readonly pods: readonly StoredPod[];
  readonly active: readonly StoredPod[];
  readonly ready: number;
  readonly terminating: number;
  readonly completions: number;
  /** Uids that are written down, but not yet in the counters. */
  readonly uncounted: { readonly succeeded: ReadonlySet<string>; readonly failed: ReadonlySet<string> };
  /** The numbers of Pods that succeeded and failed, including Pods that this sync counts. */
  readonly succeeded: number;
  readonly failed: number;
  /** Indexes that had succeeded before this sync, and those with the new ones. Empty when the Job is not Indexed. */
  readonly countedIndexes: IndexSet;
  readonly succeededIndexes: IndexSet;
  /** Undefined without backoffLimitPerIndex. */
  readonly failedIndexes: IndexSet | undefined;
  /** The failed Pod of an index whose successor does not exist yet: it keeps its finalizer until then. */
  readonly toReplace: ReadonlyMap<number, StoredPod>;
}

export function viewJob(job: StoredJob, pods: readonly StoredPod[]): JobView {
  const { spec } = job;
  const completions = spec.completions ?? 0;
  const tracked = pods.filter(hasJobFinalizer);
  const unended = pods.filter((pod) => !isTerminalPhase(pod.status.phase));
  const status = withCountedUids(job.status ?? {}, tracked);
  const uncounted = {
    succeeded: new Set(status.uncountedTerminatedPods?.succeeded),
    failed: new Set(status.uncountedTerminatedPods?.failed),
  };
  const uncountedPods = tracked.filter((pod) => isValid(job, pod));
  const newSucceeded = uncountedPods.filter(
    ({ metadata, status: { phase } }) => phase === 'Succeeded' && !uncounted.succeeded.has(metadata.uid),
  );
  const newFailed = uncountedPods.filter(
    (pod) =>
      isFailed(job, pod) && !uncounted.failed.has(pod.metadata.uid) && countsAsFailure(spec.podFailurePolicy, pod),
  );
  const countedIndexes = IndexSet.parse(isIndexed(job) ? status.completedIndexes : undefined, completions);
  const newIndexes = isIndexed(job) ? newSucceeded.map(indexOf).filter((index) => index !== undefined) : [];
  const succeededIndexes = countedIndexes.with(newIndexes);
  const hasEnded = (index: number): boolean => succeededIndexes.has(index) || (failedIndexes?.has(index) ?? false);
  const failedIndexes =
    spec.backoffLimitPerIndex === undefined ? undefined : failedIndexesOf(job, status, uncountedPods);
  const active = unended.filter(isActive);
  const sum = (status.succeeded ?? 0) + newSucceeded.length + uncounted.succeeded.size;
  return {
    job,
    spec,
    status,
    pods,
    active,
    ready: active.filter(isPodReady).length,
    terminating: unended.filter(isTerminating).length,
    completions,
    uncounted,
    succeeded: isIndexed(job) ? succeededIndexes.size : sum,
    failed: (status.failed ?? 0) + newFailed.length + uncounted.failed.size,
    countedIndexes,
    succeededIndexes,
    failedIndexes,
    toReplace: podsToReplace(job, uncountedPods, active, hasEnded),
  };
}

/** True for a Pod whose end means something: in an Indexed Job, one with an index of the Job. */
function isValid(job: StoredJob, pod: StoredPod): boolean {
  const index = indexOf(pod);
  return !isIndexed(job) || (index !== undefined && index < (job.spec.completions ?? 0));
}

/**
 * Moves uids into the counters whose Pods have no finalizer any more: these cannot be counted again.
 * Source: cleanUncountedPodsWithoutFinalizers.
 */
export function withCountedUids(status: JobStatus, pods: readonly StoredPod[]): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const tracked = new Set(pods.filter(hasJobFinalizer).map(({ metadata }) => metadata.uid));
  const isTracked = (uid: string): boolean => tracked.has(uid);
  const uncountedTerminatedPods = {
    succeeded: nonEmpty(succeeded.filter(isTracked)),
    failed: nonEmpty(failed.filter(isTracked)),
  };
  return {
    ...status,
    succeeded: nonZero((status.succeeded ?? 0) + succeeded.filter((uid) => !isTracked(uid)).length),
    failed: nonZero((status.failed ?? 0) + failed.filter((uid) => !isTracked(uid)).length),
    uncountedTerminatedPods,
  };
}

export function nonZero(count: number): number | undefined {
  return count === 0 ? undefined : count;
}

export function nonEmpty<T>(list: T[]): T[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** Source: pkg/controller/job/indexed_job_utils.go calculateFailedIndexes, isIndexFailed. */
function failedIndexesOf(job: StoredJob, status: JobStatus, pods: readonly StoredPod[]): IndexSet {
  const { completions = 0, backoffLimitPerIndex = 0, podFailurePolicy } = job.spec;
  const failed: number[] = [];
  for (const pod of pods.filter((candidate) => isFailed(job, candidate))) {
    const { action } = failureVerdict(podFailurePolicy, pod);
    const isOver = action !== 'Ignore' && failureCountOf(pod) >= backoffLimitPerIndex;
    const index = indexOf(pod);
    if (index !== undefined && (action === 'FailIndex' || isOver)) failed.push(index);
  }
  return IndexSet.parse(status.failedIndexes, completions).with(failed);
}

/** Source: indexed_job_utils.go getPodsWithDelayedDeletionPerIndex. */
function podsToReplace(
  job: StoredJob,
  pods: readonly StoredPod[],
  active: readonly StoredPod[],
  hasEnded: (index: number) => boolean,
): Map<number, StoredPod> {
  const lastFailures = new Map<number, StoredPod>();
  if (job.spec.backoffLimitPerIndex === undefined) return lastFailures;
  const activeIndexes = new Set(active.map(indexOf));
  for (const pod of pods.filter((candidate) => isFailed(job, candidate))) {
    const index = indexOf(pod);
    if (index === undefined || hasEnded(index) || activeIndexes.has(index)) continue;
    const other = lastFailures.get(index);
    if (other === undefined || isLaterFailure(pod, other)) lastFailures.set(index, pod);
  }
  return lastFailures;
}

function isLaterFailure(pod: StoredPod, other: StoredPod): boolean {
  const difference = absoluteFailures(pod) - absoluteFailures(other);
  return difference > 0 || (difference === 0 && finishedAtMs(pod) >= finishedAtMs(other));
}

/** All failures of the index before this Pod, ignored ones included. */
export function absoluteFailures(pod: StoredPod): number {
  return failureCountOf(pod) + ignoredCountOf(pod);
}

/**
 * The Pods whose failures delay new ones. A deleted Pod without finalizer was counted as failed, unless the Job was
 * suspended or made smaller: it counts only in a Job that has failures.
 */
export function failuresOnRecord(view: JobView, removed: readonly StoredPod[] = []): StoredPod[] {
  const all = [...view.pods, ...removed];
  return all.filter(
    (pod) => isFailed(view.job, pod) && (!hasDeletionTimestamp(pod) || hasJobFinalizer(pod) || view.failed > 0),
  );
}
