import { goQuote, POD_FAILURE_POLICY } from '../../api/index.ts';
import type { ControllerEvent } from '../base/reconcile.ts';
import { normal, warning } from './pods.ts';

// The conditions and events of Jobs.
// Source: pkg/controller/job/job_controller.go, success_policy.go, pod_failure_policy.go.

/** Why a Job ends, or is suspended: the reason and the message of a condition. */
export interface JobReason {
  readonly reason: string;
  readonly message: string;
}

export const COMPLETIONS_REACHED: JobReason = {
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

export const BACKOFF_LIMIT_EXCEEDED: JobReason = {
  reason: 'BackoffLimitExceeded',
  message: 'Job has reached the specified backoff limit',
};

export const JOB_DEADLINE_EXCEEDED: JobReason = {
  reason: 'DeadlineExceeded',
  message: 'Job was active longer than specified deadline',
};

export const MAX_FAILED_INDEXES_EXCEEDED: JobReason = {
  reason: 'MaxFailedIndexesExceeded',
  message: 'Job has exceeded the specified maximal number of failed indexes',
};

export const FAILED_INDEXES: JobReason = { reason: 'FailedIndexes', message: 'Job has failed indexes' };

export const JOB_SUSPENDED: JobReason = { reason: 'JobSuspended', message: 'Job suspended' };

export const JOB_RESUMED: JobReason = { reason: 'JobResumed', message: 'Job resumed' };

export function matchedSuccessRule(index: number): JobReason {
  return { reason: 'SuccessPolicy', message: `Matched rules at index ${index}` };
}

export function matchedExitCode(pod: string, container: string, exitCode: number, index: number): JobReason {
  const what = `Container ${container} for pod ${pod} failed with exit code ${exitCode}`;
  return { reason: POD_FAILURE_POLICY, message: `${what} matching FailJob rule at index ${index}` };
}

export function matchedCondition(pod: string, type: string, index: number): JobReason {
  return {
    reason: POD_FAILURE_POLICY,
    message: `Pod ${pod} has condition ${type} matching FailJob rule at index ${index}`,
  };
}

export function jobCompleted(): ControllerEvent {
  return normal('Completed', 'Job completed');
}

export function jobFailed({ reason, message }: JobReason): ControllerEvent {
  return warning(reason, message);
}

export function tooManySucceeded(): ControllerEvent {
  return warning('TooManySucceededPods', 'Too many succeeded pods running after completion count reached');
}

export function jobSuspended(): ControllerEvent {
  return normal('Suspended', JOB_SUSPENDED.message);
}

export function jobResumed(): ControllerEvent {
  return normal('Resumed', JOB_RESUMED.message);
}

// The events of CronJobs.
// Source: pkg/controller/cronjob/cronjob_controllerv2.go, utils.go.
export function createdJob(job: string): ControllerEvent {
  return normal('SuccessfulCreate', `Created job ${job}`);
}

export function deletedJob(job: string): ControllerEvent {
  return normal('SuccessfulDelete', `Deleted job ${job}`);
}

export function failedJobCreate(error: string): ControllerEvent {
  return warning('FailedCreate', `Error creating job: ${error}`);
}

export function failedJobDelete(error: string): ControllerEvent {
  return warning('FailedDelete', `Deleted job: ${error}`);
}

export function jobAlreadyActive(): ControllerEvent {
  const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
  return normal('JobAlreadyActive', message);
}

/** @param condition the type of the condition that ended it: `Complete` or `Failed` */
export function sawCompletedJob(job: string, condition: string): ControllerEvent {
  return normal('SawCompletedJob', `Saw completed job: ${job}, condition: ${condition}`);
}

export function missingJob(job: string): ControllerEvent {
  return normal('MissingJob', `Active job went missing: ${job}`);
}

export function unexpectedJob(job: string): ControllerEvent {
  return warning('UnexpectedJob', `Saw a job that the controller did not create or forgot: ${job}`);
}

export function tooManyMissedTimes(): ControllerEvent {
  const advice = 'Set or decrease .spec.startingDeadlineSeconds or check clock skew';
  return warning('TooManyMissedTimes', `too many missed start times. ${advice}`);
}

/** @param scheduledMs milliseconds since 1970; the message has it as Go's time.RFC1123Z */
export function missedSchedule(scheduledMs: number): ControllerEvent {
  const time = new Date(scheduledMs).toUTCString().replace('GMT', '+0000');
  return warning('MissSchedule', `Missed scheduled time to start a job: ${time}`);
}

export function unparseableSchedule(schedule: string, problem: string): ControllerEvent {
  return warning('UnparseableSchedule', `unparseable schedule: ${goQuote(schedule)} : ${problem}`);
}

export function unknownTimeZone(timeZone: string): ControllerEvent {
  return warning('UnknownTimeZone', `invalid timeZone: ${goQuote(timeZone)}: unknown time zone ${timeZone}`);
}
