import { type CronJob, isTimeZone, type JobTemplateSpec, parseSchedule } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, invalid, notSupported, required } from '../base/field-error.ts';
import { notNegative, requiredOneOf } from './checks.ts';
import { validateJobSpec } from './job.ts';
import { nameOf } from './metadata.ts';
import { child } from '../base/path.ts';

const CONCURRENCY_POLICIES: readonly string[] = ['Allow', 'Forbid', 'Replace'];
/** The length of a name: the controller appends eleven characters to name a Job, and that name is a label. */
const NAME_MAX = 52;
const ZONE_PART = /^[A-Za-z.\-_0-9+]{1,14}$/;

/** Source: pkg/apis/batch/validation/validation.go, ValidateCronJobCreate. */
export function validateCronJob(cronJob: Decoded<CronJob>): FieldError[] {
  const spec = cronJob.spec ?? {};
  const { schedule, timeZone, jobTemplate = {} } = spec;
  const name = nameOf(cronJob.metadata);
  const errors = [
    ...(schedule ? validateSchedule('spec.schedule', schedule) : [required('spec.schedule')]),
    ...notNegative('spec.startingDeadlineSeconds', spec.startingDeadlineSeconds),
    ...(timeZone === undefined ? [] : validateTimeZone('spec.timeZone', timeZone)),
    ...requiredOneOf('spec.concurrencyPolicy', spec.concurrencyPolicy, CONCURRENCY_POLICIES),
    ...validateJobTemplate('spec.jobTemplate', jobTemplate),
    ...notNegative('spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit),
    ...notNegative('spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit),
  ];
  if (name.length <= NAME_MAX) return errors;
  return [...errors, invalid('metadata.name', name, `must be no more than ${NAME_MAX} characters`)];
}

function validateSchedule(path: string, schedule: string): FieldError[] {
  const parsed = parseSchedule(schedule);
  const errors = 'problem' in parsed ? [invalid(path, schedule, parsed.problem)] : [];
  if (!schedule.includes('TZ')) return errors;
  return [...errors, invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
}

function validateTimeZone(path: string, timeZone: string): FieldError[] {
  if (!timeZone) return [invalid(path, timeZone, 'timeZone must be nil or non-empty string')];
  const unknown = [invalid(path, timeZone, `unknown time zone ${timeZone}`)];
  const hasGoodParts = timeZone
    .split('/')
    .every((part) => part !== '.' && part !== '..' && !part.startsWith('-') && ZONE_PART.test(part));
  if (!hasGoodParts) return unknown;
  if (timeZone.toLowerCase() === 'local') {
    const text = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return [invalid(path, timeZone, text)];
  }
  return isTimeZone(timeZone) ? [] : unknown;
}

/** Refuses a selector in the Job template. */
function validateJobTemplate(path: string, template: Decoded<JobTemplateSpec>): FieldError[] {
  const spec = template.spec ?? {};
  const at = child(path, 'spec');
  const errors = validateJobSpec(at, spec);
  if (spec.selector !== undefined) {
    errors.push(invalid(child(at, 'selector'), spec.selector, '`selector` will be auto-generated'));
  }
  if (spec.manualSelector === true) errors.push(notSupported(child(at, 'manualSelector'), true, ['nil', 'false']));
  return errors;
}
