import {
  labelValueMessages,
  type PodReadinessGate,
  type PodSchedulingGate,
  qualifiedNameMessages,
  type Toleration,
  type TopologySpreadConstraint,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../base/field-error.ts';
import { each, oneOfIfSet, wellFormed } from './checks.ts';
import { validateLabelSelector } from './labels.ts';

const TAINT_EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const TOLERATION_OPERATORS: readonly string[] = ['Equal', 'Exists'];
const SCHEDULE_ACTIONS: readonly string[] = ['DoNotSchedule', 'ScheduleAnyway'];
const INCLUSION_POLICIES: readonly string[] = ['Honor', 'Ignore'];
const NOT_POSITIVE = 'must be greater than zero';

/** Validates the conditions that must be True before the Pod is ready. */
export function validateReadinessGates(path: string, gates: readonly Decoded<PodReadinessGate>[]): FieldError[] {
  return each(path, gates, ({ conditionType = '' }, at) =>
    wellFormed(child(at, 'conditionType'), conditionType, qualifiedNameMessages),
  );
}

/** Validates scheduling gates. Reports mistakes at the gate instead of its name, as upstream. */
export function validateSchedulingGates(path: string, gates: readonly Decoded<PodSchedulingGate>[]): FieldError[] {
  const seen = new Set<string>();
  return each(path, gates, ({ name = '' }, at) => {
    const errors = wellFormed(at, name, qualifiedNameMessages);
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
    return errors;
  });
}

/** Source: pkg/apis/core/validation/validation.go, ValidateTolerations. */
export function validateTolerations(path: string, tolerations: readonly Decoded<Toleration>[]): FieldError[] {
  return each(path, tolerations, (toleration, at) => {
    const { key, operator = '', effect = '', tolerationSeconds } = toleration;
    const errors = key ? wellFormed(child(at, 'key'), key, qualifiedNameMessages) : [];
    if (!key && operator !== 'Exists') {
      const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalid(child(at, 'operator'), operator, text));
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      const text = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      errors.push(invalid(child(at, 'effect'), effect, text));
    }
    errors.push(...validateTolerationOperator(child(at, 'operator'), toleration));
    return effect ? [...errors, ...oneOfIfSet(child(at, 'effect'), effect, TAINT_EFFECTS)] : errors;
  });
}

/** Validates the operator of a toleration. Reports a bad value at the operator, as upstream. */
function validateTolerationOperator(path: string, { operator, value = '' }: Decoded<Toleration>): FieldError[] {
  switch (operator) {
    case undefined:
    case '':
    case 'Equal': {
      const messages = labelValueMessages(value);
      return messages.length > 0 ? [invalid(path, value, messages.join(';'))] : [];
    }
    case 'Exists':
      return value ? [invalid(path, value, "value must be empty when `operator` is 'Exists'")] : [];
    default:
      return [notSupported(path, operator, TOLERATION_OPERATORS)];
  }
}

/** Source: validateTopologySpreadConstraints. */
export function validateTopologySpread(
  path: string,
  constraints: readonly Decoded<TopologySpreadConstraint>[],
): FieldError[] {
  const pairs = constraints.map(
    ({ topologyKey = '', whenUnsatisfiable = '' }) => `{${topologyKey}, ${whenUnsatisfiable}}`,
  );
  const lastIndexes = new Map(pairs.map((pair, index) => [pair, index]));
  return each(path, constraints, (constraint, at, index) => {
    const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '', minDomains } = constraint;
    const errors: FieldError[] = [];
    if (maxSkew <= 0) errors.push(invalid(child(at, 'maxSkew'), maxSkew, NOT_POSITIVE));
    if (!topologyKey) errors.push(required(child(at, 'topologyKey'), 'can not be empty'));
    errors.push(...oneOfIfSet(child(at, 'whenUnsatisfiable'), whenUnsatisfiable, SCHEDULE_ACTIONS));
    const pair = pairs[index] ?? '';
    if ((lastIndexes.get(pair) ?? index) > index) {
      errors.push(duplicate(child(at, '{topologyKey, whenUnsatisfiable}'), pair));
    }
    if (minDomains !== undefined) {
      errors.push(...validateMinDomains(child(at, 'minDomains'), minDomains, whenUnsatisfiable));
    }
    return [
      ...errors,
      ...oneOfIfSet(child(at, 'nodeAffinityPolicy'), constraint.nodeAffinityPolicy, INCLUSION_POLICIES),
      ...oneOfIfSet(child(at, 'nodeTaintsPolicy'), constraint.nodeTaintsPolicy, INCLUSION_POLICIES),
      ...validateSpreadKeys(child(at, 'matchLabelKeys'), constraint),
      ...validateLabelSelector(child(at, 'labelSelector'), constraint.labelSelector),
    ];
  });
}

function validateMinDomains(path: string, minDomains: number, action: string): FieldError[] {
  const errors = minDomains <= 0 ? [invalid(path, minDomains, NOT_POSITIVE)] : [];
  if (action === 'DoNotSchedule') return errors;
  const text = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [...errors, invalid(path, minDomains, text)];
}

function validateSpreadKeys(path: string, constraint: Decoded<TopologySpreadConstraint>): FieldError[] {
  const { matchLabelKeys = [], labelSelector } = constraint;
  if (matchLabelKeys.length === 0) return [];
  const missing = 'must not be specified when labelSelector is not set';
  const selected = new Set([
    ...Object.keys(labelSelector?.matchLabels ?? {}),
    ...(labelSelector?.matchExpressions ?? []).map(({ key = '' }) => key),
  ]);
  return [
    ...(labelSelector === undefined ? [forbidden(path, missing)] : []),
    ...each(path, matchLabelKeys, (key, at) => [
      ...wellFormed(at, key, qualifiedNameMessages),
      ...(selected.has(key) ? [invalid(at, key, 'exists in both matchLabelKeys and labelSelector')] : []),
    ]),
  ];
}
