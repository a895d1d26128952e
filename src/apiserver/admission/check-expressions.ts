import { isSameJson, type KubeObject } from '../../api/index.ts';
import { type FieldError, invalid } from '../../manifest/index.ts';
import { checkExpression } from '../custom/cel/check/check-expression.ts';
import type { CelVariables } from '../custom/cel/check/estimate.ts';
import { DYN } from '../custom/cel/check/types.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { deviceSelectorErrors, DEVICES } from './device-selectors.ts';
import { admissionEnvironment, type MatchCondition } from './expressions.ts';
import type { MutatingPolicy } from './mutating-policies.ts';
import { conditionScope, policyScope } from './policy-scope.ts';
import type { ValidatingPolicy } from './validating-policies.ts';
import type { WebhookConfiguration } from './webhooks.ts';

const GROUP = 'admissionregistration.k8s.io';

/**
 * The mistakes of a policy, a webhook or a selector of devices with expressions that cannot be evaluated.
 * Source: pkg/apis/admissionregistration/validation/validation.go.
 */
export function wrongExpressions(
  { group, kind: name }: Pick<ServedResource, 'group' | 'kind'>,
  { before, after }: { readonly before: KubeObject | undefined; readonly after: KubeObject },
): readonly FieldError[] {
  if (group === DEVICES) return isSameJson(before?.['spec'], after['spec']) ? [] : deviceSelectorErrors(after);
  if (group !== GROUP) return [];
  return name.endsWith('AdmissionPolicy')
    ? policyErrors(before, after as ValidatingPolicy & MutatingPolicy)
    : webhookErrors(before, after);
}

function webhookErrors(
  before: WebhookConfiguration | undefined,
  { webhooks = [] }: WebhookConfiguration,
): FieldError[] {
  if (isSameJson(before?.webhooks, webhooks)) return [];
  return webhooks.flatMap(({ matchConditions = [] }, index) =>
    conditionErrors(matchConditions, `webhooks[${index}]`, conditionScope(DYN, undefined)),
  );
}

function conditionErrors(conditions: readonly MatchCondition[], at: string, scope: CelVariables): FieldError[] {
  return conditions.flatMap(({ expression }, index) =>
    expressionErrors(expression, `${at}.matchConditions[${index}].expression`, { scope, wanted: ['bool'] }),
  );
}

/** The mistakes of a policy of either kind: one has validations, the other mutations. */
function policyErrors(before: KubeObject | undefined, { spec }: ValidatingPolicy & MutatingPolicy): FieldError[] {
  if (isSameJson(before?.['spec'], spec)) return [];
  const { matchConditions = [], validations = [], auditAnnotations = [], mutations = [] } = spec;
  const plain = conditionScope(DYN, spec.paramKind === undefined ? undefined : DYN);
  const errors = conditionErrors(matchConditions, 'spec', plain);
  const { scope, errors: ofVariables } = policyScope(spec, plain);
  for (const [index, { expression }] of (spec.variables ?? []).entries()) {
    const error = ofVariables[index];
    if (error !== undefined) errors.push(uncompiled(`spec.variables[${index}].expression`, expression, error));
  }
  const check = (text: string | undefined, at: string, wanted: readonly string[]): void => {
    if (text !== undefined) errors.push(...expressionErrors(text, at, { scope, wanted }));
  };
  for (const [index, { expression, messageExpression }] of validations.entries()) {
    check(expression, `spec.validations[${index}].expression`, ['bool']);
    check(messageExpression, `spec.validations[${index}].messageExpression`, ['string']);
  }
  for (const [index, { valueExpression }] of auditAnnotations.entries()) {
    check(valueExpression, `spec.auditAnnotations[${index}].valueExpression`, ['string', 'null_type']);
  }
  for (const [index, { applyConfiguration, jsonPatch }] of mutations.entries()) {
    const at = `spec.mutations[${index}]`;
    check(applyConfiguration?.expression.trim() || undefined, `${at}.applyConfiguration.expression`, ['Object']);
    check(jsonPatch?.expression.trim() || undefined, `${at}.jsonPatch.expression`, ['list(JSONPatch)']);
  }
  return errors;
}

/** The types of mutations, whose expressions construct objects. */
const CONSTRUCTED: ReadonlySet<string> = new Set(['Object', 'list(JSONPatch)']);

function expressionErrors(
  text: string,
  at: string,
  { scope, wanted }: { readonly scope: CelVariables; readonly wanted: readonly string[] },
): FieldError[] {
  const mayConstruct = wanted.some((type) => CONSTRUCTED.has(type));
  const checked = checkExpression(admissionEnvironment(), text, scope, mayConstruct);
  if ('error' in checked) return [uncompiled(at, text, checked.error)];
  const { name } = checked.type;
  const isAny = name === 'dyn' || (mayConstruct && name === 'list(dyn)');
  const isWanted = wanted.length === 0 || isAny || wanted.includes(name === 'null' ? 'null_type' : name);
  const [only, ...others] = wanted;
  const list = others.length === 0 ? only : `one of [${wanted.join(' ')}]`;
  return isWanted ? [] : [invalid(at, text, `must evaluate to ${list} but got ${name}`)];
}

function uncompiled(at: string, text: string, error: string): FieldError {
  return invalid(at, text, `compilation failed: ${error}`);
}
