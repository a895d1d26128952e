import {
  finishedCondition,
  formatTime,
  isSameJson,
  type JobCondition,
  type JobConditionType,
  type JobStatus,
  type StoredPod,
} from '../../api/index.ts';
import { eventAction, patchAction, statusActions } from '../base/actions.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
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
import { isSuspended, withoutJobFinalizer } from './job-pods.ts';
import { type JobInput, type JobView, nonZero, viewJob, withCountedUids } from './job-view.ts';
import { deleteActivePods, leavePods, type Managed, managePods } from './manage-pods.ts';

/**
 * One sync of a Job: counts its ended Pods, looks for its end, and makes or deletes Pods. The Pods that a sync counts
 * are written down first, then lose their finalizers, then are in the counters; Complete or Failed comes with the last
 * of these writes, once no Pod is terminating. Source: pkg/controller/job/job_controller.go syncJob.
 * @param pods those that the Job owns
 */
export function syncJob(job: StoredJob, pods: readonly StoredPod[], input: JobInput): Reconciliation {
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
