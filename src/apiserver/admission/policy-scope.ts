import { checkExpression } from '../custom/cel/check/check-expression.ts';
import type { CelVariables } from '../custom/cel/check/estimate.ts';
import {
  BOOL,
  DYN,
  INT,
  listType,
  mapType,
  opaque,
  STRING,
  TIMESTAMP,
  type CelType,
} from '../custom/cel/check/types.ts';
import { admissionEnvironment } from './expressions.ts';
import type { PolicySpec } from './policies.ts';

const object = (name: string, fields: Readonly<Record<string, CelType>>): CelType => {
  return { kind: 'object', name: `kubernetes.${name}`, fields: new Map(Object.entries(fields)) };
};
const kind = object('GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const resource = object('GroupVersionResource', { group: STRING, version: STRING, resource: STRING });
const user = object('UserInfo', {
  username: STRING,
  uid: STRING,
  groups: listType(STRING),
  extra: mapType(STRING, listType(STRING)),
});
const AUTHORIZER: CelType = {
  ...opaque('kubernetes.authorization.Authorizer'),
  fields: new Map([['requestResource', opaque('kubernetes.authorization.ResourceCheck')]]),
};
const REQUEST = object('AdmissionRequest', {
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
const texts = mapType(STRING, STRING);
const condition = object('NamespaceCondition', {
  status: STRING,
  type: STRING,
  lastTransitionTime: TIMESTAMP,
  message: STRING,
  reason: STRING,
});
const NAMESPACE = object('Namespace', {
  metadata: object('NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: texts,
    annotations: texts,
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listType(STRING),
  }),
  spec: object('NamespaceSpec', { finalizers: listType(STRING) }),
  status: object('NamespaceStatus', { conditions: listType(condition), phase: STRING }),
});

/**
 * The variables of match conditions. Source: apiserver/pkg/admission/plugin/cel/compile.go.
 * @param type the type of the written object
 * @param params the type of the parameters. Undefined: the expressions have none
 */
export function conditionScope(type: CelType, params: CelType | undefined): CelVariables {
  return new Map([
    ['object', type],
    ['oldObject', type],
    ['request', REQUEST],
    ['authorizer', AUTHORIZER],
    ...(params === undefined ? [] : ([['params', params]] as const)),
  ]);
}

interface PolicyScope {
  readonly scope: CelVariables;
  /** The mistake of each variable of the policy. Undefined: it has none. */
  readonly errors: readonly (string | undefined)[];
}

/** The variables of all other expressions of a policy. Its own ones may be used in those behind them as well. */
export function policyScope({ variables = [] }: PolicySpec, conditions: CelVariables): PolicyScope {
  const scope = new Map([...conditions, ['namespaceObject', NAMESPACE] as const]);
  const fields = new Map<string, CelType>();
  if (variables.length > 0) scope.set('variables', { kind: 'object', name: 'kubernetes.variables', fields });
  const errors = variables.map(({ name, expression }) => {
    const checked = checkExpression(admissionEnvironment(), expression, scope);
    const isWrong = 'error' in checked;
    fields.set(name, isWrong ? DYN : variableType(checked.type));
    return isWrong ? checked.error : undefined;
  });
  return { scope, errors };
}

/** Expressions do not see the fields of an object behind a variable. Source: plugin/cel/composition.go. */
function variableType(type: CelType): CelType {
  const [first = DYN, second = DYN] = type.inner ?? [];
  switch (type.kind) {
    case 'list':
      return listType(variableType(first));
    case 'map':
      return mapType(variableType(first), variableType(second));
    case 'dyn':
    case 'object':
    case 'opaque':
    case 'optional':
    case 'param':
    case 'type':
      return DYN;
    case 'bool':
    case 'bytes':
    case 'double':
    case 'duration':
    case 'int':
    case 'null':
    case 'string':
    case 'timestamp':
    case 'uint':
    default:
      return type;
  }
}
