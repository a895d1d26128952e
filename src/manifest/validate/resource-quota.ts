import {
  formatQuantity,
  parseQuantity,
  type ResourceQuota,
  type ResourceQuotaSpec,
  type ScopedResourceSelectorRequirement,
} from '../../api/index.ts';
import { entriesByKey, type Decoded } from '../base/decoded.ts';
import { child, entry, type FieldError, invalid, required } from '../base/field-error.ts';
import { NEGATIVE_MESSAGE } from './checks.ts';
import { isIntegerResource, isQuotaResource, validateQuotaResourceName } from './resource-names.ts';

/** Rules of ResourceQuotas. Source: pkg/apis/core/validation/validation.go, ValidateResourceQuota. */

const COMPUTE = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
const OF_PODS: ReadonlySet<string> = new Set(['pods', ...COMPUTE]);
/** The scopes with the resources that they may narrow. */
const SCOPES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['Terminating', OF_PODS],
  ['NotTerminating', OF_PODS],
  ['BestEffort', new Set(['pods'])],
  ['NotBestEffort', OF_PODS],
  ['PriorityClass', OF_PODS],
  ['CrossNamespacePodAffinity', OF_PODS],
  ['VolumeAttributesClass', new Set(['persistentvolumeclaims', 'requests.storage'])],
]);
const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;
const TAKES_VALUES: ReadonlySet<string> = new Set(['PriorityClass', 'VolumeAttributesClass']);
const EXISTS_ONLY =
  "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
  'ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity';

export function validateResourceQuota({ spec = {} }: Decoded<ResourceQuota>): FieldError[] {
  return [
    ...entriesByKey(spec.hard).flatMap(([name, text]) => validateHard(entry('spec.hard', name), name, text)),
    ...validateScopes('spec.scopes', spec.scopes ?? [], spec.scopes, spec),
    ...validateSelector('spec.scopeSelector.matchExpressions', spec),
  ];
}

function validateHard(path: string, name: string, text: string): FieldError[] {
  const quantity = parseQuantity(text);
  const value = formatQuantity(quantity);
  const isWhole = quantity.nano % 1_000_000_000n === 0n;
  return [
    ...validateQuotaResourceName(path, name),
    ...(quantity.nano < 0n ? [invalid(path, value, NEGATIVE_MESSAGE)] : []),
    ...(isIntegerResource(name) && !isWhole ? [invalid(path, value, 'must be an integer')] : []),
  ];
}

/** @param value the value in errors: the list of scopes, or the selector */
function validateScopes(
  path: string,
  scopes: readonly string[],
  value: unknown,
  { hard }: Decoded<ResourceQuotaSpec>,
): FieldError[] {
  const resources = entriesByKey(hard).flatMap(([name]) => (isQuotaResource(name) ? [name] : []));
  return [
    ...scopes.flatMap((scope) => {
      const covered = SCOPES.get(scope);
      if (covered === undefined) return [invalid(path, value, 'unsupported scope')];
      return resources
        .filter((name) => !covered.has(name))
        .map(() => invalid(path, value, 'unsupported scope applied to resource'));
    }),
    ...CONFLICTS.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() =>
      invalid(path, value, 'conflicting scopes'),
    ),
  ];
}

function validateSelector(path: string, spec: Decoded<ResourceQuotaSpec>): FieldError[] {
  const expressions = spec.scopeSelector?.matchExpressions ?? [];
  const scopes = expressions.map(({ scopeName = '' }) => scopeName);
  return [
    ...expressions.flatMap((expression) => validateExpression(path, expression)),
    ...validateScopes(path, scopes, spec.scopeSelector, spec),
  ];
}

function validateExpression(path: string, expression: Decoded<ScopedResourceSelectorRequirement>): FieldError[] {
  const { scopeName = '', operator = '', values = [] } = expression;
  const operatorPath = child(path, 'operator');
  const mustExist = SCOPES.has(scopeName) && !TAKES_VALUES.has(scopeName) && operator !== 'Exists';
  const errors = mustExist ? [invalid(operatorPath, operator, EXISTS_ONLY)] : [];
  const valuesPath = child(path, 'values');
  switch (operator) {
    case 'In':
    case 'NotIn': {
      const text = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
      return values.length > 0 ? errors : [...errors, required(valuesPath, text)];
    }
    case 'Exists':
    case 'DoesNotExist': {
      const text = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
      return values.length === 0 ? errors : [...errors, invalid(valuesPath, values, text)];
    }
    default:
      return [...errors, invalid(operatorPath, operator, 'not a valid selector operator')];
  }
}
