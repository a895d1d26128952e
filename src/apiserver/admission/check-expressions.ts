import { isSameJson, type KubeObject } from '../../api/index.ts';
import { type FieldError, invalid } from '../../manifest/index.ts';
import { checkExpression } from '../custom/cel/check/check-expression.ts';
import type { CelVariables } from '../custom/cel/check/estimate.ts';
import { BOOL, DYN, listType, mapType, opaque, STRING, type CelType } from '../custom/cel/check/types.ts';
import type { ApiRequest } from '../base/request.ts';
import { invalidObject } from '../base/status-error.ts';
import { admissionEnvironment, type MatchCondition } from './expressions.ts';
import type { AdmissionPolicy } from './policies.ts';
import type { WebhookConfiguration } from './webhooks.ts';

const GROUP = 'admissionregistration.k8s.io';

const object = (name: string, fields: Readonly<Record<string, CelType>>): CelType => {
  return { kind: 'object', name, fields: new Map(Object.entries(fields)) };
};
const kind = object('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const resource = object('kubernetes.GroupVersionResource', { group: STRING, version: STRING, resource: STRING });
const user = object('kubernetes.UserInfo', {
  username: STRING,
  uid: STRING,
  groups: listType(STRING),
  extra: mapType(STRING, listType(STRING)),
});
const AUTHORIZER: CelType = {
  ...opaque('kubernetes.authorization.Authorizer'),
  fields: new Map([['requestResource', opaque('kubernetes.authorization.ResourceCheck')]]),
};
const REQUEST = object('kubernetes.AdmissionRequest', {
  kind,
  resource,
  subResource: STRING,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: user,
  dryRun: BOOL,
  options: DYN,
});

/** The variables of all expressions. Objects are of any type. Source: apiserver/pkg/admission/plugin/cel/compile.go. */
const COMMON: readonly (readonly [string, CelType])[] = [
  ['object', DYN],
  ['oldObject', DYN],
  ['request', REQUEST],
  ['authorizer', AUTHORIZER],
];

/**
 * Refuses a policy or a webhook with an expression that cannot be evaluated.
 * Source: pkg/apis/admissionregistration/validation/validation.go.
 * @throws {StatusError} 422
 */
export function refuseWrongExpressions(
  { resource: { group, kind: name }, resource: served }: ApiRequest,
  { before, after }: { readonly before: KubeObject | undefined; readonly after: KubeObject },
): void {
  if (group !== GROUP) return;
  const errors =
    name === 'ValidatingAdmissionPolicy'
      ? policyErrors(before as AdmissionPolicy | undefined, after as AdmissionPolicy)
      : webhookErrors(before, after);
  if (errors.length > 0) throw invalidObject(served, after.metadata.name ?? '', errors);
}

function webhookErrors(
  before: WebhookConfiguration | undefined,
  { webhooks = [] }: WebhookConfiguration,
): FieldError[] {
  if (isSameJson(before?.webhooks, webhooks)) return [];
  return webhooks.flatMap(({ matchConditions = [] }, index) =>
    conditionErrors(matchConditions, `webhooks[${index}]`, new Map(COMMON)),
  );
}

function conditionErrors(conditions: readonly MatchCondition[], at: string, scope: CelVariables): FieldError[] {
  return conditions.flatMap(({ expression }, index) =>
    expressionErrors(expression, `${at}.matchConditions[${index}].expression`, { scope, wanted: ['bool'] }),
  );
}

function policyErrors(before: AdmissionPolicy | undefined, { spec }: AdmissionPolicy): FieldError[] {
  if (isSameJson(before?.spec, spec)) return [];
  const { paramKind, variables = [], matchConditions = [], validations = [], auditAnnotations = [] } = spec;
  const params: [string, CelType][] = paramKind === undefined ? [] : [['params', DYN]];
  const plain = new Map([...COMMON, ...params]);
  const errors = conditionErrors(matchConditions, 'spec', plain);
  const scope = new Map<string, CelType>([...plain, ['namespaceObject', DYN]]);
  const fields = new Map<string, CelType>();
  if (variables.length > 0) scope.set('variables', { kind: 'object', name: 'kubernetes.variables', fields });
  const check = (text: string | undefined, at: string, wanted: readonly string[]): void => {
    if (text !== undefined) errors.push(...expressionErrors(text, at, { scope, wanted }));
  };
  for (const [index, { name, expression }] of variables.entries()) {
    check(expression, `spec.variables[${index}].expression`, []);
    const checked = checkExpression(admissionEnvironment(), expression, scope);
    fields.set(name, 'error' in checked ? DYN : checked.type);
  }
  for (const [index, { expression, messageExpression }] of validations.entries()) {
    check(expression, `spec.validations[${index}].expression`, ['bool']);
    check(messageExpression, `spec.validations[${index}].messageExpression`, ['string']);
  }
  for (const [index, { valueExpression }] of auditAnnotations.entries()) {
    check(valueExpression, `spec.auditAnnotations[${index}].valueExpression`, ['string', 'null_type']);
  }
  return errors;
}

function expressionErrors(
  text: string,
  at: string,
  { scope, wanted }: { readonly scope: CelVariables; readonly wanted: readonly string[] },
): FieldError[] {
  const checked = checkExpression(admissionEnvironment(), text, scope);
  if ('error' in checked) return [invalid(at, text, `compilation failed: ${checked.error}`)];
  const { name } = checked.type;
  const isWanted = wanted.length === 0 || name === 'dyn' || wanted.includes(name === 'null' ? 'null_type' : name);
  const [only, ...others] = wanted;
  const list = others.length === 0 ? only : `one of [${wanted.join(' ')}]`;
  return isWanted ? [] : [invalid(at, text, `must evaluate to ${list} but got ${name}`)];
}
