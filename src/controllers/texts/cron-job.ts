import { goQuote } from '../../api/index.ts';
import type { ControllerEvent } from '../base/reconcile.ts';
import { normal, warning } from './pods.ts';

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
