import { goQuote, type Job, type JobSpec, labelMessages, type LabelSelector } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, invalid, notSupported, required, tooLong } from '../base/field-error.ts';
import { notNegative, oneOfIfSet } from './checks.ts';
import { validateLabelSelector, selectorMatches } from './labels.ts';
import { nameOf } from './metadata.ts';
import { validateDomainPath } from './domain-path.ts';
import { child } from '../base/path.ts';
import { validatePodFailurePolicy, validateSuccessPolicy } from './job-policies.ts';
import { validateTemplate } from './pod.ts';

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

/** Source: pkg/apis/batch/validation/validation.go, ValidateJob. */
export function validateJob(job: Decoded<Job>): FieldError[] {
  return [
    ...validateSelector('spec', job),
    ...validateJobSpec('spec', withGeneratedLabels(job)),
    ...validateIndexedName(job),
  ];
}

/** Validates the selector, which the controller makes unless the Job has `manualSelector`. */
function validateSelector(path: string, { metadata, spec = {} }: Decoded<Job>): FieldError[] {
  const { selector, manualSelector } = spec;
  const at = child(path, 'selector');
  if (selector === undefined) return manualSelector === true ? [required(at)] : [];
  const generated = generatedLabels(metadata?.uid, nameOf(metadata));
  const labels = withGeneratedLabels({ metadata, spec }).template?.metadata?.labels ?? {};
  const isForeign = manualSelector !== true && !selectorMatches(selector, generated);
  return [
    ...(isForeign ? [invalid(at, selector, '`selector` not auto-generated')] : []),
    ...validateMatchingSelector(at, selector, child(path, 'template', 'metadata', 'labels'), labels),
  ];
}

/** The spec with the labels that the Pods of the Job will have: a long name makes bad labels. */
function withGeneratedLabels({ metadata, spec = {} }: Decoded<Job>): Decoded<JobSpec> {
  if (spec.manualSelector === true) return spec;
  const { template = {} } = spec;
  const labels = { ...template.metadata?.labels, ...generatedLabels(metadata?.uid, nameOf(metadata)) };
  return { ...spec, template: { ...template, metadata: { ...template.metadata, labels } } };
}

/** The labels that the controller puts on the Pods of a Job. */
function generatedLabels(uid: string | undefined, name: string): Record<string, string> {
  const prefix = 'batch.kubernetes.io/';
  const owner = uid ?? '';
  return {
    [`${prefix}controller-uid`]: owner,
    [`${prefix}job-name`]: name,
    'controller-uid': owner,
    'job-name': name,
  };
}

function validateMatchingSelector(
  path: string,
  selector: Decoded<LabelSelector>,
  labelsPath: string,
  labels: Record<string, string | undefined>,
): FieldError[] {
  const errors = validateLabelSelector(path, selector);
  if (errors.length > 0 || selectorMatches(selector, labels)) return errors;
  return [invalid(labelsPath, labels, '`selector` does not match template `labels`')];
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
export function validateJobSpec(path: string, spec: Decoded<JobSpec>): FieldError[] {
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
