import type { Job, JobSpec, StoredPod } from '../../api/index.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';

/** Labels, annotations and the finalizer of the Pods of a Job. Source: k8s.io/api/batch/v1/types.go. */
export const JOB_FINALIZER = 'batch.kubernetes.io/job-tracking';
export const INDEX_KEY = 'batch.kubernetes.io/job-completion-index';
export const FAILURE_COUNT_KEY = 'batch.kubernetes.io/job-index-failure-count';
export const IGNORED_COUNT_KEY = 'batch.kubernetes.io/job-index-ignored-failure-count';

type SpecHolder = Pick<Job, 'spec'> & { readonly spec: JobSpec };

export function isIndexed({ spec }: SpecHolder): boolean {
  return spec.completionMode === 'Indexed';
}

export function isSuspended({ spec }: SpecHolder): boolean {
  return spec.suspend === true;
}

/** True when a Pod is replaced only after it has ended. */
export function replacesOnlyFailed({ spec }: SpecHolder): boolean {
  return spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;
}

/**
 * True for a Pod that counts as failed: an ended one, and, if it is replaced at once, also one that is being deleted.
 * Source: pkg/controller/job/job_controller.go isPodFailed.
 */
export function isFailed(job: SpecHolder, pod: StoredPod): boolean {
  if (pod.status.phase === 'Failed') return true;
  if (replacesOnlyFailed(job)) return false;
  return hasDeletionTimestamp(pod) && pod.status.phase !== 'Succeeded';
}

/** True until the Pod is counted. */
export function hasJobFinalizer({ metadata }: StoredPod): boolean {
  return metadata.finalizers?.includes(JOB_FINALIZER) ?? false;
}

/** The patch that takes the finalizer away. */
export function withoutJobFinalizer({ metadata }: StoredPod): { readonly metadata: { finalizers: string[] | null } } {
  const finalizers = (metadata.finalizers ?? []).filter((name) => name !== JOB_FINALIZER);
  return { metadata: { finalizers: finalizers.length === 0 ? null : finalizers } };
}

/** The completion index of a Pod. Undefined: it has none. */
export function indexOf({ metadata }: StoredPod): number | undefined {
  const text = metadata.annotations?.[INDEX_KEY];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The failures of the index before this Pod. */
export function failureCountOf(pod: StoredPod): number {
  return countIn(pod, FAILURE_COUNT_KEY);
}

/** The failures of the index before this Pod that the failure policy ignored. */
export function ignoredCountOf(pod: StoredPod): number {
  return countIn(pod, IGNORED_COUNT_KEY);
}

function countIn({ metadata }: StoredPod, key: string): number {
  return Number(metadata.annotations?.[key] ?? 0) || 0;
}
