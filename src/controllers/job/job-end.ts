import {
  allContainerStatuses,
  parseTime,
  type StoredPod,
  type SuccessPolicyRule,
  trueCondition,
} from '../../api/index.ts';
import {
  BACKOFF_LIMIT_EXCEEDED,
  COMPLETIONS_REACHED,
  FAILED_INDEXES,
  JOB_DEADLINE_EXCEEDED,
  type JobReason,
  matchedSuccessRule,
  MAX_FAILED_INDEXES_EXCEEDED,
} from '../texts/job.ts';
import { failureVerdict } from './failures.ts';
import { isFailed, isSuspended } from './job-pods.ts';
import type { JobView } from './job-view.ts';
import { IndexSet } from './indexes.ts';

/** The end that a Job has come to: no more Pods, and Complete or Failed when all are counted. */
export interface JobEnd extends JobReason {
  readonly type: 'SuccessCriteriaMet' | 'FailureTarget';
}

/**
 * The end of a Job, before anything is done about its Pods. An end that is in the status stays: success first. Then the
 * failure policy, the limits, the indexes and the success policy, in this order.
 * Source: pkg/controller/job/job_controller.go syncJob.
 */
export function endOf(view: JobView, nowMs: number): JobEnd | undefined {
  const met = trueCondition(view.status, 'SuccessCriteriaMet');
  if (met !== undefined) return { type: 'SuccessCriteriaMet', reason: met.reason ?? '', message: met.message ?? '' };
  const target = trueCondition(view.status, 'FailureTarget');
  const failure =
    target === undefined
      ? (policyFailure(view) ?? limitFailure(view, nowMs) ?? indexFailure(view))
      : { reason: target.reason ?? '', message: target.message ?? '' };
  if (failure !== undefined) return { type: 'FailureTarget', ...failure };
  const success = metSuccessRule(view);
  return success === undefined ? undefined : { type: 'SuccessCriteriaMet', ...success };
}

/** The end of a Job whose completions are reached and that has no active Pod. */
export function completionOf({ spec, succeeded }: JobView, active: number): JobEnd | undefined {
  const enough = spec.completions === undefined ? 1 : spec.completions;
  return active === 0 && succeeded >= enough ? { type: 'SuccessCriteriaMet', ...COMPLETIONS_REACHED } : undefined;
}

function policyFailure({ job, spec, pods }: JobView): JobReason | undefined {
  if (spec.podFailurePolicy === undefined) return undefined;
  const verdicts = pods.filter((pod) => isFailed(job, pod)).map((pod) => failureVerdict(spec.podFailurePolicy, pod));
  return verdicts.find(({ action }) => action === 'FailJob')?.failure;
}

function limitFailure(view: JobView, nowMs: number): JobReason | undefined {
  const { backoffLimit = 0 } = view.spec;
  if (view.failed > backoffLimit || isPastRestartLimit(view, backoffLimit)) return BACKOFF_LIMIT_EXCEEDED;
  const deadlineMs = deadlineOf(view);
  return deadlineMs !== undefined && deadlineMs <= nowMs ? JOB_DEADLINE_EXCEEDED : undefined;
}

/** Restarts in place count, too. Source: job_controller.go pastBackoffLimitOnFailure. */
function isPastRestartLimit({ spec, pods }: JobView, backoffLimit: number): boolean {
  if (spec.template.spec?.restartPolicy !== 'OnFailure') return false;
  const living = pods.filter(({ status: { phase } }) => phase === 'Running' || phase === 'Pending');
  const restarts = living.flatMap(restartsOf).reduce((sum, count) => sum + count, 0);
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

function restartsOf({ status }: StoredPod): number[] {
  return allContainerStatuses({ ...status, ephemeralContainerStatuses: [] }).map(({ restartCount }) => restartCount);
}

/** The time at which the Job has been active for too long. Undefined: it has no deadline, or is suspended. */
export function deadlineOf({ job, spec, status }: JobView): number | undefined {
  const { activeDeadlineSeconds } = spec;
  if (activeDeadlineSeconds === undefined || isSuspended(job)) return undefined;
  return status.startTime ? parseTime(status.startTime) + activeDeadlineSeconds * 1000 : undefined;
}

function indexFailure({ spec, completions, failedIndexes, succeededIndexes }: JobView): JobReason | undefined {
  if (failedIndexes === undefined) return undefined;
  const { maxFailedIndexes } = spec;
  if (maxFailedIndexes !== undefined && failedIndexes.size > maxFailedIndexes) return MAX_FAILED_INDEXES_EXCEEDED;
  const haveAllEnded = failedIndexes.size + succeededIndexes.size >= completions;
  return failedIndexes.size > 0 && haveAllEnded ? FAILED_INDEXES : undefined;
}

/** The first rule that the succeeded indexes meet. Source: pkg/controller/job/success_policy.go matchSuccessPolicy. */
function metSuccessRule({ spec, completions, succeededIndexes }: JobView): JobReason | undefined {
  const rules = spec.successPolicy?.rules ?? [];
  const index = rules.findIndex((rule) => isMet(rule, succeededIndexes, completions));
  return index === -1 ? undefined : matchedSuccessRule(index);
}

function isMet(
  { succeededIndexes: wantedText, succeededCount }: SuccessPolicyRule,
  succeeded: IndexSet,
  completions: number,
): boolean {
  if (wantedText === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
  const wanted = IndexSet.parse(wantedText, completions);
  return wanted.countIn(succeeded) >= (succeededCount ?? wanted.size);
}
