import type { JobStatus, StoredPod } from '../../api/index.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
import { countsAsFailure } from './failures.ts';
import type { IndexSet } from './indexes.ts';
import type { JobEnd } from './job-end.ts';
import { hasJobFinalizer, indexOf, isFailed, isIndexed } from './job-pods.ts';
import { type JobView, nonEmpty } from './job-view.ts';

/** The status with the uids of newly ended Pods, and the Pods that may lose their finalizer once it is written. */
export interface Counting {
  readonly status: JobStatus;
  readonly counted: readonly StoredPod[];
}

/**
 * Writes down which Pods have ended, before their finalizers go, so that none is lost or counted twice. Of a Job that
 * has failed every Pod counts as failed that has not succeeded. An Indexed Job needs no uids of succeeded Pods: their
 * indexes are enough. Source: pkg/controller/job/job_controller.go trackJobStatusAndRemoveFinalizers.
 */
export function countEndedPods(view: JobView, end: JobEnd | undefined): Counting {
  const { job, status } = view;
  const tracked = view.pods.filter(hasJobFinalizer);
  const counted = tracked.filter((pod) => mayBeReleased(view, pod, end));
  const isOver = end?.type === 'FailureTarget';
  const succeeded = new Set(view.uncounted.succeeded);
  const failed = new Set(view.uncounted.failed);
  const indexes: number[] = [];
  for (const pod of counted) {
    const { uid } = pod.metadata;
    if (pod.status.phase === 'Succeeded' && !failed.has(uid)) {
      const index = indexOf(pod);
      if (!isIndexed(job)) succeeded.add(uid);
      else if (index !== undefined && hasValidIndex(view, pod)) indexes.push(index);
    } else if ((isFailed(job, pod) || isOver) && hasValidIndex(view, pod)) {
      if (countsAsFailure(job.spec.podFailurePolicy, pod)) failed.add(uid);
    }
  }
  const uncountedTerminatedPods = { succeeded: nonEmpty([...succeeded]), failed: nonEmpty([...failed]) };
  return {
    status: { ...status, ...indexFields(view, view.countedIndexes.with(indexes)), uncountedTerminatedPods },
    counted,
  };
}

function indexFields({ job, failedIndexes }: JobView, succeeded: IndexSet): Partial<JobStatus> {
  if (!isIndexed(job)) return {};
  return {
    succeeded: succeeded.size || undefined,
    completedIndexes: String(succeeded) || undefined,
    ...(failedIndexes === undefined ? {} : { failedIndexes: String(failedIndexes) }),
  };
}

function hasValidIndex({ job, completions }: JobView, pod: StoredPod): boolean {
  return !isIndexed(job) || (indexOf(pod) ?? completions) < completions;
}

/**
 * True when the Pod has ended, or counts as ended, and no successor has to learn its failures. Source:
 * canRemoveFinalizer.
 */
function mayBeReleased(view: JobView, pod: StoredPod, end: JobEnd | undefined): boolean {
  if (end !== undefined || pod.status.phase === 'Succeeded' || hasDeletionTimestamp(view.job)) return true;
  if (!isFailed(view.job, pod)) return false;
  const index = indexOf(pod);
  return index === undefined || view.toReplace.get(index) !== pod;
}
