import {
  controllerOf,
  finishedCondition,
  formatTime,
  isSameJson,
  type JobCondition,
  type JobConditionType,
  type JobStatus,
  matchesSelector,
  parseTime,
  type StoredPod,
} from '../../api/index.ts';
import { deleteAction, eventAction, patchAction, statusActions } from '../base/actions.ts';
import { claimObjects, hasDeletionTimestamp, isControlledBy } from '../base/ownership.ts';
import { earliest } from '../base/pod-state.ts';
import type { ControllerAction, ControllerEvent, Reconciliation, StoredJob } from '../base/reconcile.ts';
import {
  JOB_RESUMED,
  JOB_SUSPENDED,
  jobCompleted,
  jobFailed,
  type JobReason,
  jobResumed,
  jobSuspended,
  tooManySucceeded,
} from '../texts/job.ts';
import { COMPONENT, failedCreate, failedDelete } from '../texts/pods.ts';
import { countEndedPods } from './count-pods.ts';
import { completionOf, deadlineOf, endOf, type JobEnd } from './job-end.ts';
import { hasJobFinalizer, isSuspended, JOB_FINALIZER, withoutJobFinalizer } from './job-pods.ts';
import { type JobInput, type JobView, nonZero, viewJob, withCountedUids } from './job-view.ts';
import { deleteActivePods, leavePods, type Managed, managePods } from './manage-pods.ts';

const OWN_NAME = 'kubernetes.io/job-controller';

/**
 * The controller of Jobs. A Job that another controller manages is left alone.
 * Source: pkg/controller/job/job_controller.go syncJob.
 */
export function reconcileJob(job: StoredJob, input: JobInput): Reconciliation {
  const { managedBy } = job.spec;
  if (managedBy !== undefined && managedBy !== OWN_NAME) return { actions: [] };
  if (finishedCondition(job.status ?? {}) !== undefined) return afterTheEnd(job, input);
  const matches = ({ metadata }: StoredPod): boolean => matchesSelector(job.spec.selector, metadata.labels);
  const claim = claimObjects(job, input.pods, { matches, finalizer: JOB_FINALIZER });
  return claim.actions.length > 0 ? { actions: claim.actions } : syncJob(job, claim.owned, input);
}

/**
 * A finished Job keeps no Pod from going, and goes itself when its time to live is over: in the foreground, its Pods
 * first. Source: pkg/controller/ttlafterfinished/ttlafterfinished_controller.go.
 */
function afterTheEnd(job: StoredJob, { pods, now }: JobInput): Reconciliation {
  const tracked = pods.filter((pod) => isControlledBy(pod, job) && hasJobFinalizer(pod));
  const actions = tracked.map((pod) => patchAction(pod, withoutJobFinalizer(pod)));
  const expiryMs = jobExpiryMs(job);
  if (expiryMs === undefined || hasDeletionTimestamp(job)) return { actions };
  if (expiryMs > now.wallMs) return { actions, lookAgainAtMs: expiryMs };
  return { actions: [...actions, deleteAction(job, 'Foreground')] };
}

/**
 * The time when a Job is to be removed, milliseconds since 1970. Undefined: it still runs, or it stays.
 * Source: ttlafterfinished_controller.go getFinishAndExpireTime.
 */
export function jobExpiryMs({ spec, status }: StoredJob): number | undefined {
  const finished = finishedCondition(status ?? {});
  const { ttlSecondsAfterFinished: seconds } = spec;
  if (finished === undefined || seconds === undefined) return undefined;
  return parseTime(finished.lastTransitionTime ?? '') + seconds * 1000;
}

/**
 * Takes the finalizer from Pods whose Job is gone: no sync counts them any more. Pods of other owners keep it.
 * Source: pkg/controller/job/job_controller.go syncOrphanPod.
 * @param jobs the Jobs that exist
 */
export function releaseOrphanedPods(pods: readonly StoredPod[], jobs: readonly StoredJob[]): ControllerAction[] {
  const uids = new Set(jobs.map(({ metadata }) => metadata.uid));
  const orphans = pods.filter((pod) => {
    const { kind = 'Job', uid = '' } = controllerOf(pod) ?? {};
    return hasJobFinalizer(pod) && kind === 'Job' && !uids.has(uid);
  });
  return orphans.map((pod) => patchAction(pod, withoutJobFinalizer(pod)));
}

/**
 * One sync of a Job: counts its ended Pods, looks for its end, and makes or deletes Pods. Counted Pods are first listed
 * in the status by uid, then lose their finalizers, then are in the counters; Complete or Failed comes with the last of
 * these writes, once no Pod is terminating. Source: pkg/controller/job/job_controller.go syncJob.
 * @param pods the Job's Pods
 */
function syncJob(job: StoredJob, pods: readonly StoredPod[], input: JobInput): Reconciliation {
  const nowMs = input.now.wallMs;
  const view = started(viewJob(job, pods), nowMs);
  const knownEnd = endOf(view, nowMs);
  // After a failure the ended Pods are counted all the same.
  const mayManage = knownEnd === undefined && !hasDeletionTimestamp(job) && input.failure === undefined;
  const managed = mayManage ? managePods(view, input) : withoutManaging(view, knownEnd);
  const end = knownEnd ?? completionOf(view, managed.active);
  const suspension = mayManage && end === undefined ? suspend(view, nowMs) : undefined;
  const { status, counted } = countEndedPods(view, end);
  const written: JobStatus = {
    ...status,
    ...suspension?.status,
    active: nonZero(managed.active),
    ready: managed.ready,
    terminating: managed.terminating,
    ...(end === undefined ? {} : { conditions: withEnd(status, end, nowMs) }),
  };
  const final = finalStatus(written, counted, end, nowMs);
  return {
    actions: [
      ...failureEvents(job, input.failure),
      ...managed.actions,
      ...(knownEnd === undefined && end !== undefined && isOverfull(view) ? [tell(job, tooManySucceeded())] : []),
      ...statusActions(job, written),
      ...(suspension?.actions ?? []),
      ...counted.map((pod) => patchAction(pod, withoutJobFinalizer(pod))),
      ...(isSameJson(written, final) ? [] : statusActions(job, final)),
      ...endEvents(job, final),
    ],
    lookAgainAtMs: end === undefined ? earliest([managed.lookAgainAtMs, deadlineOf(view)]) : undefined,
  };
}

const tell = (job: StoredJob, event: ControllerEvent): ControllerAction => eventAction(job, COMPONENT.job, event);

function withoutManaging(view: JobView, end: JobEnd | undefined): Managed {
  return end === undefined ? leavePods(view) : deleteActivePods(view);
}

function failureEvents(job: StoredJob, failure: JobInput['failure']): ControllerAction[] {
  if (failure === undefined) return [];
  return [tell(job, failure.type === 'create' ? failedCreate(failure.error) : failedDelete(failure.error))];
}

/** The last event of a Job. */
function endEvents(job: StoredJob, status: JobStatus): ControllerAction[] {
  const finished = finishedCondition(status);
  if (finished === undefined) return [];
  const { type, reason = '', message = '' } = finished;
  return [tell(job, type === 'Failed' ? jobFailed({ reason, message }) : jobCompleted())];
}

/** Sets the start of a Job that is looked at for the first time. */
function started(view: JobView, nowMs: number): JobView {
  if (view.status.startTime || isSuspended(view.job)) return view;
  return { ...view, status: { ...view.status, startTime: formatTime(nowMs) } };
}

function isOverfull({ spec, succeeded }: JobView): boolean {
  return spec.completions !== undefined && succeeded > spec.completions;
}

/** The condition Suspended. A Job starts anew when it is resumed; while it is suspended it has no start. */
function suspend(
  { job, status }: JobView,
  nowMs: number,
): { readonly status: Partial<JobStatus>; readonly actions: readonly ControllerAction[] } {
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
 * Sets a condition. A condition that does not exist is never made as False. The same conditions as before when nothing
 * changes. Source: pkg/controller/job/job_controller.go ensureJobConditionStatus.
 */
function withJobCondition(
  conditions: readonly JobCondition[] = [],
  type: JobConditionType,
  isTrue: boolean,
  { reason, message }: JobReason,
  nowMs: number,
): readonly JobCondition[] {
  const status = isTrue ? 'True' : 'False';
  const now = formatTime(nowMs);
  const condition: JobCondition = { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
  const old = conditions.find((candidate) => candidate.type === type);
  if (old === undefined) return isTrue ? [...conditions, condition] : conditions;
  if (old.status === status && old.reason === reason && old.message === message) return conditions;
  return conditions.map((candidate) => (candidate.type === type ? condition : candidate));
}
