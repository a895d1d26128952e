import type { PodDisruptionBudget, PriorityClass } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, forbidden, type GoShape, inGo, invalid } from '../base/field-error.ts';
import { oneOfIfSet, requiredOneOf } from './checks.ts';
import { validateLabelSelector } from './labels.ts';
import { nameOf } from './metadata.ts';
import { type Share, validateShare, validateWholeNumber } from './rolling-update.ts';
import { SYSTEM_PRIORITIES } from '../base/system-priorities.ts';

/** The Pods that may be ended in favor of other Pods: budgets and priorities. */

const EVICTION_POLICIES: readonly string[] = ['AlwaysAllow', 'IfHealthyBudget'];
const PREEMPTION_POLICIES: readonly string[] = ['PreemptLowerPriority', 'Never'];
const SYSTEM_PREFIX = 'system-';
const HIGHEST_USER_PRIORITY = 1_000_000_000;

/** Source: pkg/apis/policy/types.go, PodDisruptionBudgetSpec. */
const BUDGET: GoShape = {
  MinAvailable: ['minAvailable', null],
  Selector: ['selector', null],
  MaxUnavailable: ['maxUnavailable', null],
  UnhealthyPodEvictionPolicy: ['unhealthyPodEvictionPolicy', null],
};

/** Source: pkg/apis/policy/validation/validation.go, ValidatePodDisruptionBudget. */
export function validateDisruptionBudget({ spec = {} }: Decoded<PodDisruptionBudget>): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec;
  const hasBoth = minAvailable !== undefined && maxUnavailable !== undefined;
  return [
    ...(hasBoth ? [invalid('spec', inGo(spec, BUDGET), 'minAvailable and maxUnavailable cannot be both set')] : []),
    ...validateAmount('spec.minAvailable', minAvailable),
    ...validateAmount('spec.maxUnavailable', maxUnavailable),
    ...validateLabelSelector('spec.selector', selector),
    ...oneOfIfSet('spec.unhealthyPodEvictionPolicy', unhealthyPodEvictionPolicy, EVICTION_POLICIES),
  ];
}

function validateAmount(path: string, amount: Share): FieldError[] {
  return [...validateShare(path, amount), ...validateWholeNumber(path, amount)];
}

/** Source: pkg/apis/scheduling/validation/validation.go, ValidatePriorityClass. */
export function validatePriorityClass(priority: Decoded<PriorityClass>): FieldError[] {
  const { metadata, preemptionPolicy } = priority;
  return [
    ...validatePriority(nameOf(metadata), priority),
    ...(preemptionPolicy === undefined ? [] : requiredOneOf('preemptionPolicy', preemptionPolicy, PREEMPTION_POLICIES)),
  ];
}

function validatePriority(name: string, { value = 0, globalDefault = false }: Decoded<PriorityClass>): FieldError[] {
  if (!name.startsWith(SYSTEM_PREFIX)) {
    const text = `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`;
    return value > HIGHEST_USER_PRIORITY ? [forbidden('value', text)] : [];
  }
  const problem = systemProblem(name, value, globalDefault);
  const text = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: `;
  return problem === undefined ? [] : [forbidden('metadata.name', text + problem)];
}

function systemProblem(name: string, value: number, isDefault: boolean): string | undefined {
  const wanted = SYSTEM_PRIORITIES.get(name);
  if (wanted === undefined) return `${name} is not a known system priority class`;
  if (value !== wanted) return `value of ${name} PriorityClass must be ${wanted}`;
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
