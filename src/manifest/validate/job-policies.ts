import {
  goQuote,
  type JobSpec,
  type PodFailurePolicyOnExitCodesRequirement,
  type PodFailurePolicyOnPodConditionsPattern,
  type PodFailurePolicyRule,
  qualifiedNameMessages,
  type SuccessPolicyRule,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import {
  child,
  duplicate,
  type FieldError,
  type GoShape,
  inGo,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../base/field-error.ts';
import { each, invalidUnseen, notNegative, wellFormed } from './checks.ts';

/** The policies by which a Job fails or succeeds early. Source: pkg/apis/batch/validation/validation.go. */
const ACTIONS: readonly string[] = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS: readonly string[] = ['In', 'NotIn'];
const CONDITION_STATUSES: readonly string[] = ['False', 'True', 'Unknown'];
const RULES_MAX = 20;
const EXIT_CODES_MAX = 255;
const CONDITIONS_MAX = 20;
const INDEXES_MAX_BYTES = 64 * 1024;

export function validatePodFailurePolicy(path: string, spec: Decoded<JobSpec>): FieldError[] {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const rulesPath = child(path, 'rules');
  const { containers = [], initContainers = [] } = spec.template?.spec ?? {};
  const names = new Set([...containers, ...initContainers].map(({ name }) => name));
  const hasIndexLimit = spec.backoffLimitPerIndex !== undefined;
  return [
    ...(rules.length > RULES_MAX ? [tooMany(rulesPath, rules.length, RULES_MAX)] : []),
    ...each(rulesPath, rules, (rule, at) => [
      ...validateAction(child(at, 'action'), rule.action, hasIndexLimit),
      ...validateMatcher(at, rule, names),
    ]),
  ];
}

/** Requires one of a few texts. The message for a missing one lists them as Go prints them. */
function requiredFrom(path: string, text: string | undefined, supported: readonly string[]): FieldError[] {
  if (!text) return [required(path, `valid values: [${supported.map(goQuote).join(' ')}]`)];
  return supported.includes(text) ? [] : [notSupported(path, text, supported)];
}

function validateAction(path: string, action: string | undefined, hasIndexLimit: boolean): FieldError[] {
  if (action !== 'FailIndex') return requiredFrom(path, action, ACTIONS);
  return hasIndexLimit ? [] : [invalid(path, action, 'requires the backoffLimitPerIndex to be set')];
}

/** Requires either exit codes or conditions in a rule. */
function validateMatcher(
  path: string,
  { onExitCodes, onPodConditions = [] }: Decoded<PodFailurePolicyRule>,
  containerNames: ReadonlySet<string | undefined>,
): FieldError[] {
  const conditionsPath = child(path, 'onPodConditions');
  const errors = onExitCodes ? validateExitCodes(child(path, 'onExitCodes'), onExitCodes, containerNames) : [];
  if (onPodConditions.length > CONDITIONS_MAX) {
    errors.push(tooMany(conditionsPath, onPodConditions.length, CONDITIONS_MAX));
  }
  const both = 'specifying both OnExitCodes and OnPodConditions is not supported';
  const none = 'specifying one of OnExitCodes and OnPodConditions is required';
  return [
    ...errors,
    ...each(conditionsPath, onPodConditions, validateCondition),
    ...(onExitCodes && onPodConditions.length > 0 ? [invalidUnseen(path, both)] : []),
    ...(!onExitCodes && onPodConditions.length === 0 ? [invalidUnseen(path, none)] : []),
  ];
}

function validateCondition(
  { type = '', status }: Decoded<PodFailurePolicyOnPodConditionsPattern>,
  path: string,
): FieldError[] {
  return [
    ...wellFormed(child(path, 'type'), type, qualifiedNameMessages),
    ...requiredFrom(child(path, 'status'), status, CONDITION_STATUSES),
  ];
}

function validateExitCodes(
  path: string,
  { operator, containerName, values = [] }: Decoded<PodFailurePolicyOnExitCodesRequirement>,
  containerNames: ReadonlySet<string | undefined>,
): FieldError[] {
  const valuesPath = child(path, 'values');
  const errors = requiredFrom(child(path, 'operator'), operator, OPERATORS);
  if (containerName !== undefined && !containerNames.has(containerName)) {
    const text = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalid(child(path, 'containerName'), containerName, text));
  }
  if (values.length === 0) errors.push(invalid(valuesPath, values, 'at least one value is required'));
  if (values.length > EXIT_CODES_MAX) errors.push(tooMany(valuesPath, values.length, EXIT_CODES_MAX));
  const seen = new Set<number>();
  const wrongCodes = each(valuesPath, values, (code, at) => {
    const isRepeated = seen.has(code);
    seen.add(code);
    return [
      ...(operator === 'In' && code === 0 ? [invalid(at, code, 'must not be 0 for the In operator')] : []),
      ...(isRepeated ? [duplicate(at, code)] : []),
    ];
  });
  const isOrdered = values.every((code, index) => index === 0 || (values[index - 1] ?? code) <= code);
  return [...errors, ...wrongCodes, ...(isOrdered ? [] : [invalid(valuesPath, values, 'must be ordered')])];
}

/** Source: pkg/apis/batch/types.go, SuccessPolicy. */
const SUCCESS_POLICY: GoShape = {
  Rules: ['rules', [{ SucceededIndexes: ['succeededIndexes', null], SucceededCount: ['succeededCount', null] }]],
};

export function validateSuccessPolicy(path: string, spec: Decoded<JobSpec>): FieldError[] {
  if (spec.completionMode !== 'Indexed') {
    return [invalid(path, inGo({ ...spec.successPolicy }, SUCCESS_POLICY), 'requires indexed completion mode')];
  }
  const rules = spec.successPolicy?.rules ?? [];
  const rulesPath = child(path, 'rules');
  const missing = 'at least one rules must be specified when the successPolicy is specified';
  return [
    ...(rules.length === 0 ? [required(rulesPath, missing)] : []),
    ...(rules.length > RULES_MAX ? [tooMany(rulesPath, rules.length, RULES_MAX)] : []),
    ...each(rulesPath, rules, (rule, at) => validateSuccessRule(at, rule, spec.completions ?? 0)),
  ];
}

function validateSuccessRule(path: string, rule: Decoded<SuccessPolicyRule>, completions: number): FieldError[] {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  const errors: FieldError[] = [];
  if (count === undefined && indexes === undefined) {
    errors.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  let indexCount = 0;
  if (indexes !== undefined) {
    const indexesPath = child(path, 'succeededIndexes');
    if (Buffer.byteLength(indexes) > INDEXES_MAX_BYTES) errors.push(tooLong(indexesPath, INDEXES_MAX_BYTES));
    const counted = countIndexes(indexes, completions);
    if (typeof counted === 'number') indexCount = counted;
    else errors.push(invalid(indexesPath, indexes, `error parsing succeededIndexes: ${counted.problem}`));
  }
  if (count === undefined) return errors;
  const countPath = child(path, 'succeededCount');
  errors.push(...notNegative(countPath, count));
  const tooHigh = (limit: number, what: string): FieldError =>
    invalid(countPath, count, `must be less than or equal to ${limit} (${what})`);
  if (count > completions) errors.push(tooHigh(completions, 'the number of specified completions'));
  if (indexes !== undefined && count > indexCount) {
    errors.push(tooHigh(indexCount, 'the number of indexes in the specified succeededIndexes field'));
  }
  return errors;
}

interface Interval {
  readonly first: number;
  readonly last: number;
}

/** A mistake in a list of indexes, in Go's words. */
interface IndexProblem {
  readonly problem: string;
}

/**
 * Counts the indexes in a text such as `0,2-3`, or returns its mistake.
 * Source: pkg/apis/batch/validation/validation.go, validateIndexesFormat.
 */
function countIndexes(text: string, completions: number): number | IndexProblem {
  if (text === '') return 0;
  let previous: number | undefined;
  let total = 0;
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions);
    if ('problem' in interval) return interval;
    if (previous !== undefined && previous >= interval.first) return notIncreasing(previous, interval.first);
    total += interval.last - interval.first + 1;
    previous = interval.last;
  }
  return total;
}

function parseInterval(text: string, completions: number): Interval | IndexProblem {
  const parts = text.split('-');
  if (parts.length > 2) {
    const rule = "violates the requirement that an index interval can have at most two parts separated by '-'";
    return { problem: `the fragment ${goQuote(text)} ${rule}` };
  }
  const [firstText = '', lastText] = parts;
  const first = parseIndex(firstText, completions);
  if (typeof first !== 'number') return first;
  if (lastText === undefined) return { first, last: first };
  const last = parseIndex(lastText, completions);
  if (typeof last !== 'number') return last;
  return first >= last ? notIncreasing(first, last) : { first, last };
}

function parseIndex(text: string, completions: number): number | IndexProblem {
  if (!/^\+?[0-9]+$/.test(text)) return { problem: `cannot convert string to integer for index: ${goQuote(text)}` };
  const index = Number(text);
  return index >= completions ? { problem: `too large index: ${goQuote(text)}` } : index;
}

function notIncreasing(previous: number, current: number): IndexProblem {
  return { problem: `non-increasing order, previous: ${previous}, current: ${current}` };
}
