import {
  type CronJob,
  goQuote,
  isTimeZone,
  type Job,
  type JobSpec,
  type JobTemplateSpec,
  labelMessages,
  parseSchedule,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, entry, type FieldError, invalid, notSupported, required, tooLong } from '../base/field-error.ts';
import { generatedLabels, withGeneratedSelector } from '../base/generated-selector.ts';
import { notNegative, oneOfIfSet, requiredOneOf } from './checks.ts';
import { validatePodFailurePolicy, validateSuccessPolicy } from './job-policies.ts';
import { selectorMatches, validateLabelSelector } from './labels.ts';
import { nameOf } from './metadata.ts';
import { validateTemplate } from './pod.ts';
import { validateDomainPath } from './resource-names.ts';

const COUNTS = [
  ...(['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'] as const),
  ...(['backoffLimitPerIndex', 'maxFailedIndexes'] as const),
];
const COMPLETION_MODES: readonly string[] = ['NonIndexed', 'Indexed'];
const REPLACEMENT_POLICIES: readonly string[] = ['Failed', 'TerminatingOrFailed'];
const RESTART_POLICIES: readonly string[] = ['OnFailure', 'Never'];
const MANAGED_BY_MAX_BYTES = 63;
/** The limits of Indexed Jobs. With more than MANY_COMPLETIONS the remaining limits are lower. */
const PARALLELISM_MAX = 100_000;
const FAILED_INDEXES_MAX = 100_000;
const MANY_COMPLETIONS = 100_000;
const MANY_PARALLELISM_MAX = 10_000;
const MANY_FAILED_INDEXES_MAX = 10_000;

/**
 * Source: pkg/apis/batch/validation/validation.go, ValidateJob.
 * @param job without a uid, its selector and the labels of its Pods are still to be made
 */
export function validateJob(job: Decoded<Job>): FieldError[] {
  const whole = job.metadata?.uid ? job : withGeneratedSelector(job, '');
  const { spec = {} } = whole;
  const selectorPath = 'spec.selector';
  return [
    ...(spec.manualSelector === true ? [] : validateGenerated(whole)),
    ...validateJobSpec('spec', spec),
    ...(spec.selector === undefined ? [required(selectorPath)] : validateLabelSelector(selectorPath, spec.selector)),
    ...validateMatch(spec),
    ...validateIndexedName(whole),
  ];
}

/** Requires the labels that only the Pods of this Job have. Source: validateGeneratedSelector. */
function validateGenerated({ metadata, spec = {} }: Decoded<Job>): FieldError[] {
  const { selector, template } = spec;
  if (selector === undefined) return [];
  const expected = generatedLabels(metadata?.uid ?? '', nameOf(metadata));
  const labels = template?.metadata?.labels ?? {};
  const wrong = Object.entries(expected).flatMap(([key, value]) => {
    const [path, text] = [entry('spec.template.metadata.labels', key), `must be '${value}'`];
    if (labels[key] === undefined) return [required(path, text)];
    return labels[key] === value ? [] : [invalid(path, labels, text)];
  });
  const isForeign = !selectorMatches(selector, expected);
  return [...wrong, ...(isForeign ? [invalid('spec.selector', selector, '`selector` not auto-generated')] : [])];
}

function validateMatch({ selector, template }: Decoded<JobSpec>): FieldError[] {
  const labels = template?.metadata?.labels;
  const isWrong = selector !== undefined && validateLabelSelector('', selector).length > 0;
  if (isWrong || (selector !== undefined && selectorMatches(selector, labels))) return [];
  return [invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

/** Validates the names of the Pods of an Indexed Job: job name and index, which are also the host name. */
function validateIndexedName({ metadata, spec }: Decoded<Job>): FieldError[] {
  const completions = spec?.completions ?? 0;
  if (spec?.completionMode !== 'Indexed' || completions <= 0) return [];
  const name = nameOf(metadata);
  const lastPod = `${name}-${completions - 1}`;
  if (labelMessages(lastPod).length === 0) return [];
  return [invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${lastPod}`)];
}

/** Validates the spec of a Job, also inside a CronJob. Source: validateJobSpec. */
function validateJobSpec(path: string, spec: Decoded<JobSpec>): FieldError[] {
  const template = spec.template ?? {};
  const needsLimit = spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined;
  const { managedBy } = spec;
  return [
    ...COUNTS.flatMap((field) => notNegative(child(path, field), spec[field])),
    ...(needsLimit ? [required(child(path, 'backoffLimitPerIndex'), 'when maxFailedIndexes is specified')] : []),
    ...(managedBy === undefined ? [] : validateManagedBy(child(path, 'managedBy'), managedBy)),
    ...validateCompletionMode(path, spec),
    ...(spec.podFailurePolicy ? validatePodFailurePolicy(child(path, 'podFailurePolicy'), spec) : []),
    ...(spec.successPolicy ? validateSuccessPolicy(child(path, 'successPolicy'), spec) : []),
    ...validateReplacementPolicy(child(path, 'podReplacementPolicy'), spec),
    ...validateTemplate(child(path, 'template'), template),
    ...validateRestartPolicy(child(path, 'template', 'spec', 'restartPolicy'), template.spec?.restartPolicy, spec),
  ];
}

function validateManagedBy(path: string, managedBy: string): FieldError[] {
  const errors = validateDomainPath(path, managedBy);
  return Buffer.byteLength(managedBy) > MANAGED_BY_MAX_BYTES
    ? [...errors, tooLong(path, MANAGED_BY_MAX_BYTES)]
    : errors;
}

function validateCompletionMode(path: string, spec: Decoded<JobSpec>): FieldError[] {
  const { completionMode: mode, backoffLimitPerIndex, maxFailedIndexes } = spec;
  if (mode === 'Indexed') return validateIndexed(path, spec);
  const errors = oneOfIfSet(child(path, 'completionMode'), mode, COMPLETION_MODES);
  if (mode !== undefined && mode !== 'NonIndexed') return errors;
  const text = 'requires indexed completion mode';
  if (backoffLimitPerIndex !== undefined) {
    errors.push(invalid(child(path, 'backoffLimitPerIndex'), backoffLimitPerIndex, text));
  }
  if (maxFailedIndexes !== undefined) errors.push(invalid(child(path, 'maxFailedIndexes'), maxFailedIndexes, text));
  return errors;
}

function validateIndexed(path: string, spec: Decoded<JobSpec>): FieldError[] {
  const { completions, parallelism = 0, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const parallelismPath = child(path, 'parallelism');
  const failedPath = child(path, 'maxFailedIndexes');
  const atMost = (max: number, where = ''): string => `must be less than or equal to ${max}${where}`;
  const errors: FieldError[] = [];
  if (completions === undefined) errors.push(required(child(path, 'completions'), 'when completion mode is Indexed'));
  if (parallelism > PARALLELISM_MAX) {
    errors.push(invalid(parallelismPath, parallelism, atMost(PARALLELISM_MAX, ' when completion mode is Indexed')));
  }
  const failed = maxFailedIndexes ?? 0;
  if (completions !== undefined && failed > completions) {
    errors.push(invalid(failedPath, failed, 'must be less than or equal to completions'));
  }
  if (failed > FAILED_INDEXES_MAX) errors.push(invalid(failedPath, failed, atMost(FAILED_INDEXES_MAX)));
  if ((completions ?? 0) <= MANY_COMPLETIONS || backoffLimitPerIndex === undefined) return errors;
  const when = ` when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined) {
    errors.push(required(failedPath, `must be specified when completions is above ${MANY_COMPLETIONS}`));
  }
  if (parallelism > MANY_PARALLELISM_MAX) {
    errors.push(invalid(parallelismPath, parallelism, atMost(MANY_PARALLELISM_MAX, when)));
  }
  if (failed > MANY_FAILED_INDEXES_MAX) errors.push(invalid(failedPath, failed, atMost(MANY_FAILED_INDEXES_MAX, when)));
  return errors;
}

/** Validates the replacement policy. With a failure policy, a Pod must have ended before it is replaced. */
function validateReplacementPolicy(path: string, spec: Decoded<JobSpec>): FieldError[] {
  return oneOfIfSet(path, spec.podReplacementPolicy, spec.podFailurePolicy ? ['Failed'] : REPLACEMENT_POLICIES);
}

/** Requires a restart policy. Always counts as missing: defaulting sets it in any Pod template. */
function validateRestartPolicy(path: string, policy: string | undefined, spec: Decoded<JobSpec>): FieldError[] {
  if (!policy || policy === 'Always') {
    return [required(path, `valid values: ${RESTART_POLICIES.map(goQuote).join(', ')}`)];
  }
  if (!RESTART_POLICIES.includes(policy)) return [notSupported(path, policy, RESTART_POLICIES)];
  if (spec.podFailurePolicy === undefined || policy === 'Never') return [];
  return [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

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
