import type { JobCondition, JobStatus } from '../../api/generated/types.ts';
import { isSameJson } from '../../api/json.ts';
import type { StoredPod } from '../../api/objects.ts';
import { matchesSelector } from '../../api/select/object-selector.ts';
import { formatTime, parseTime } from '../../api/time.ts';
import { deleteAction, eventAction, patchAction, statusActions } from '../actions.ts';
import { claimObjects, hasDeletionTimestamp, isControlledBy } from '../ownership.ts';
import { earliest } from '../pod-state.ts';
import type { Action, ActionFailure, Reconciliation, StoredJob } from '../reconcile.ts';
import {
  JOB_RESUMED,
  JOB_SUSPENDED,
  jobCompleted,
  jobFailed,
  jobResumed,
  jobSuspended,
  tooManySucceeded,
} from '../texts/job.ts';
import { COMPONENT, failedCreate, failedDelete } from '../texts/pods.ts';
import { countEndedPods } from './count-pods.ts';
import { finishedCondition, withJobCondition } from './job-conditions.ts';
import { completionOf, deadlineOf, endOf, type JobEnd } from './job-end.ts';
import { hasJobFinalizer, isSuspended, JOB_FINALIZER, withoutJobFinalizer } from './job-pods.ts';
import { type JobAround, type JobView, nonZero, viewJob, withCountedUids } from './job-view.ts';
import { deleteActivePods, managePods } from './manage-pods.ts';

const OWN_NAME = 'kubernetes.io/job-controller';

/**
 * One sync of a Job: counts its ended Pods, looks for its end, and makes or deletes Pods. The Pods that a sync counts
 * are written down first, then lose their finalizers, then are in the counters; Complete or Failed comes with the last
 * of these writes, once no Pod is terminating. Source: pkg/controller/job/job_controller.go syncJob.
 */
export function reconcileJob(job: StoredJob, around: JobAround): Reconciliation {
  const { managedBy } = job.spec;
  if (managedBy !== undefined && managedBy !== OWN_NAME) return { actions: [] };
  const finished = finishedCondition(job.status ?? {});
  if (finished !== undefined) return afterTheEnd(job, finished, around);
  const matches = ({ metadata }: StoredPod): boolean => matchesSelector(job.spec.selector, metadata.labels);
  const claim = claimObjects(job, around.pods, { matches, finalizer: JOB_FINALIZER });
  return claim.actions.length > 0 ? { actions: claim.actions } : syncJob(job, claim.owned, around);
}

function failureEvent(job: StoredJob, { type, error }: ActionFailure): Action {
  return eventAction(job, COMPONENT.job, type === 'create' ? failedCreate(error) : failedDelete(error));
}

/**
 * A finished Job keeps no Pod from going, and goes itself when its time to live is over: in the foreground, its Pods
 * first. Source: pkg/controller/ttlafterfinished/ttlafterfinished_controller.go.
 */
function afterTheEnd(job: StoredJob, finished: JobCondition, { pods, now }: JobAround): Reconciliation {
  const tracked = pods.filter((pod) => isControlledBy(pod, job) && hasJobFinalizer(pod));
  const actions = tracked.map((pod) => patchAction(pod, withoutJobFinalizer(pod)));
  const { ttlSecondsAfterFinished: seconds } = job.spec;
  if (seconds === undefined || hasDeletionTimestamp(job)) return { actions };
  const expiryMs = parseTime(finished.lastTransitionTime ?? '') + seconds * 1000;
  if (expiryMs > now.wallMs) return { actions, lookAgainAtMs: expiryMs };
  return { actions: [...actions, deleteAction(job, 'Foreground')] };
}

function syncJob(job: StoredJob, pods: readonly StoredPod[], around: JobAround): Reconciliation {
  const nowMs = around.now.wallMs;
  const view = started(viewJob(job, pods), nowMs);
  const early = endOf(view, nowMs);
  // After a failure the ended Pods are counted all the same.
  const isIdle = hasDeletionTimestamp(job) || around.failure !== undefined;
  const managed = early === undefined && !isIdle ? managePods(view, around) : undefined;
  const pod = managed ?? (early === undefined ? idle(view) : deleteActivePods(view));
  const end = early ?? completionOf(view, pod.active);
  const suspension = managed === undefined || end !== undefined ? { status: {}, actions: [] } : suspend(view, nowMs);
  const { status, counted } = countEndedPods(view, end);
  const written: JobStatus = {
    ...status,
    ...suspension.status,
    active: nonZero(pod.active),
    ready: pod.ready,
    terminating: pod.terminating,
    ...(end === undefined ? {} : { conditions: withEnd(status, end, nowMs) }),
  };
  const final = finalStatus(written, counted, end, nowMs);
  const isFinal = finishedCondition(final) !== undefined;
  return {
    actions: [
      ...(around.failure === undefined ? [] : [failureEvent(job, around.failure)]),
      ...pod.actions,
      ...(early === undefined && end !== undefined && isOverfull(view) ? [tell(job, tooManySucceeded())] : []),
      ...statusActions(job, written),
      ...suspension.actions,
      ...counted.map((one) => patchAction(one, withoutJobFinalizer(one))),
      ...(isSameJson(written, final) ? [] : statusActions(job, final)),
      ...(isFinal && end !== undefined
        ? [tell(job, end.type === 'FailureTarget' ? jobFailed(end) : jobCompleted())]
        : []),
    ],
    lookAgainAtMs: end === undefined ? earliest([pod.lookAgainAtMs, deadlineOf(view)]) : undefined,
  };
}

const tell = (job: StoredJob, event: Parameters<typeof eventAction>[2]): Action =>
  eventAction(job, COMPONENT.job, event);

/** Sets the start of a Job that is looked at for the first time. */
function started(view: JobView, nowMs: number): JobView {
  if (view.status.startTime || isSuspended(view.job)) return view;
  return { ...view, status: { ...view.status, startTime: formatTime(nowMs) } };
}

const idle = ({ active, ready, terminating }: JobView): ReturnType<typeof deleteActivePods> => ({
  actions: [],
  active: active.length,
  ready,
  terminating,
});

function isOverfull({ spec, succeeded }: JobView): boolean {
  return spec.completions !== undefined && succeeded > spec.completions;
}

/** The condition Suspended. A Job starts anew when it is resumed; while it is suspended it has no start. */
function suspend(
  { job, status }: JobView,
  nowMs: number,
): { readonly status: Partial<JobStatus>; readonly actions: readonly Action[] } {
  const isNow = isSuspended(job);
  const before = status.conditions ?? [];
  const conditions = withJobCondition(before, 'Suspended', isNow, isNow ? JOB_SUSPENDED : JOB_RESUMED, nowMs);
  if (conditions === before) return { status: {}, actions: [] };
  return {
    status: { conditions: [...conditions], startTime: isNow ? undefined : formatTime(nowMs) },
    actions: [tell(job, isNow ? jobSuspended() : jobResumed())],
  };
}

function withEnd({ conditions }: JobStatus, end: JobEnd, nowMs: number): JobCondition[] {
  return [...withJobCondition(conditions, end.type, true, end, nowMs)];
}

/** The status after the finalizers are gone. Source: flushUncountedAndRemoveFinalizers, enactJobFinished. */
function finalStatus(
  written: JobStatus,
  counted: readonly StoredPod[],
  end: JobEnd | undefined,
  nowMs: number,
): JobStatus {
  if (counted.length === 0 && end === undefined) return written;
  const status = withCountedUids(written, []);
  if (end === undefined || (status.terminating ?? 0) > 0) return status;
  const hasFailed = end.type === 'FailureTarget';
  const conditions = [...withJobCondition(status.conditions, hasFailed ? 'Failed' : 'Complete', true, end, nowMs)];
  return hasFailed ? { ...status, conditions } : { ...status, conditions, completionTime: formatTime(nowMs) };
}

/**
 * Takes the finalizer from Pods whose Job is gone: nobody counts them any more.
 * Source: pkg/controller/job/job_controller.go syncOrphanPod.
 * @param jobs the Jobs that exist
 */
export function releaseOrphanedPods(pods: readonly StoredPod[], jobs: readonly StoredJob[]): Action[] {
  const orphans = pods.filter((pod) => hasJobFinalizer(pod) && !jobs.some((job) => isControlledBy(pod, job)));
  return orphans.map((pod) => patchAction(pod, withoutJobFinalizer(pod)));
}
