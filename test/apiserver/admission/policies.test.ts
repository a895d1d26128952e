import { beforeAll, describe, expect, it, vi } from 'vitest';
import { loadPatterns } from '../../../src/apiserver/custom/base/patterns.ts';
import type { PolicyBinding } from '../../../src/apiserver/admission/policies.ts';
import { askPolicies, type ValidatingPolicy } from '../../../src/apiserver/admission/validating-policies.ts';
import { DEPLOYMENTS, requestOf } from './request-of.ts';

beforeAll(loadPatterns);

const policy = (spec: ValidatingPolicy['spec']): ValidatingPolicy => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'few' },
  spec: { matchConstraints: { resourceRules: [DEPLOYMENTS] }, ...spec },
});

const binding = (spec: PolicyBinding['spec'] = {}): PolicyBinding => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: 'here' },
  spec: { policyName: 'few', validationActions: ['Deny'], ...spec },
});

const PARAMS = { paramRef: { name: 'most', parameterNotFoundAction: 'Deny' } };

/** Loops in loops over ten items. */
const loops = (depth: number): string =>
  depth === 0 ? 'true' : `[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(n, n < 11 && ${loops(depth - 1)})`;
const HEAD = "ValidatingAdmissionPolicy 'few' with binding 'here' denied request: ";

function denialBy(spec: ValidatingPolicy['spec'], params?: object): string | undefined {
  const paramsOf = () => (params === undefined ? [] : [params as never]);
  return askPolicies(
    {
      policies: [policy(spec)],
      bindings: [binding(params === undefined && spec.paramKind === undefined ? {} : PARAMS)],
      hasKind: () => true,
      paramsOf,
    },
    requestOf(),
  ).denial?.message;
}

describe('a ValidatingAdmissionPolicy', () => {
  it.each<[string, ValidatingPolicy['spec'], string | undefined]>([
    ['permits', { validations: [{ expression: 'object.spec.replicas <= 5' }] }, undefined],
    [
      'denies',
      { validations: [{ expression: 'object.spec.replicas <= 2' }] },
      'failed expression: object.spec.replicas <= 2',
    ],
    [
      'says why',
      { validations: [{ expression: 'false', messageExpression: "'at ' + object.metadata.name" }] },
      'at web',
    ],
    [
      'has variables',
      {
        variables: [{ name: 'n', expression: 'object.spec.replicas' }],
        validations: [{ expression: 'variables.n == 3' }],
      },
      undefined,
    ],
    [
      'evaluates no variable that it does not use',
      {
        variables: [
          { name: 'wrong', expression: 'object.spec.nosuch' },
          { name: 'next', expression: 'variables.wrong + 1' },
        ],
        validations: [{ expression: 'object.spec.replicas == 3 || variables.next == 1' }],
      },
      undefined,
    ],
    [
      'says which variable has failed',
      {
        variables: [{ name: 'wrong', expression: 'object.spec.nosuch' }],
        validations: [{ expression: 'variables.wrong == 1' }],
      },
      "expression 'variables.wrong == 1' resulted in error: " +
        'composited variable "wrong" fails to evaluate: no such key: nosuch',
    ],
    [
      'counts what its variables cost, each once',
      {
        variables: [
          ...Array.from({ length: 11 }, (_, n) => ({ name: `v${n}`, expression: loops(5) })),
          { name: '__proto__', expression: '{"a": 1}' },
        ],
        validations: [
          ...Array.from({ length: 100 }, (_, n) => ({ expression: `variables.v${n % 11}` })),
          { expression: 'variables.__proto__.a == 1' },
        ],
      },
      undefined,
    ],
    [
      'has a limit for the cost of all its variables',
      {
        variables: Array.from({ length: 30 }, (_, n) => ({ name: `v${n}`, expression: loops(5) })),
        validations: Array.from({ length: 30 }, (_, n) => ({ expression: `variables.v${n} || true` })),
      },
      'validation failed due to running out of cost budget, no further validation rules will be run',
    ],
    [
      'has a limit for the cost of each expression',
      { validations: [{ expression: loops(6) }] },
      `expression '${loops(6)}' resulted in error: operation cancelled: actual cost limit exceeded`,
    ],
    [
      'has a limit for the cost of all its expressions',
      { validations: Array.from({ length: 30 }, () => ({ expression: loops(5) })) },
      'validation failed due to running out of cost budget, no further validation rules will be run',
    ],
    [
      'is not asked when its conditions are not met',
      {
        matchConditions: [{ name: 'a', expression: "request.userInfo.username == 'x'" }],
        validations: [{ expression: 'false' }],
      },
      undefined,
    ],
    [
      'knows the namespace',
      { validations: [{ expression: "namespaceObject.metadata.labels.env == 'dev'" }] },
      undefined,
    ],
    [
      'denies when it fails',
      { validations: [{ expression: 'object.spec.nothing == 1' }] },
      "expression 'object.spec.nothing == 1' resulted in error: no such key: nothing",
    ],
    [
      'may ignore failures',
      { failurePolicy: 'Ignore', validations: [{ expression: 'object.spec.nothing == 1' }] },
      undefined,
    ],
  ])('%s', (_, spec, message) => {
    expect(denialBy(spec)).toBe(message === undefined ? undefined : HEAD + message);
  });

  it('has an object with parameters', () => {
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [{ expression: 'object.spec.replicas <= int(params.data.max)' }],
    };
    expect(denialBy(spec, { data: { max: '5' } })).toBeUndefined();
    expect(denialBy(spec, { data: { max: '1' } })).toContain('failed expression');
    expect(denialBy(spec)).toContain('no params found');
  });

  const admin = { name: 'admin', groups: ['system:masters'] };
  const robot = {
    name: 'system:serviceaccount:default:robot',
    uid: undefined,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
  };
  const deployment = { group: 'apps', resource: 'deployments', subresource: '', namespace: 'default', name: 'web' };
  it.each<[string, object, object]>([
    ["path('/healthz').check('get')", admin, { path: '/healthz', verb: 'get' }],
    ["group('').resource('pods').check('list')", admin, { group: '', resource: 'pods', verb: 'list' }],
    [
      "group('apps').resource('deployments').subresource('scale').namespace('a').name('b').check('update')",
      admin,
      { group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'a', name: 'b', verb: 'update' },
    ],
    ["group('').resource('pods').labelSelector('a=b').check('list')", admin, { resource: 'pods', verb: 'list' }],
    ["requestResource.check('delete')", admin, { ...deployment, verb: 'delete' }],
    ["serviceAccount('default', 'robot').requestResource.check('get')", robot, { ...deployment, verb: 'get' }],
  ])('asks authorizer.%s', (check, user, wanted) => {
    for (const isAllowed of [true, false]) {
      const permits = vi.fn(() => isAllowed);
      const policies = [policy({ validations: [{ expression: `authorizer.${check}.allowed()` }] })];
      const { denial } = askPolicies(
        { policies, bindings: [binding()], hasKind: () => true, paramsOf: () => [] },
        requestOf({ permits }),
      );
      expect(permits.mock.calls).toEqual([[user, expect.objectContaining(wanted)]]);
      expect(denial === undefined).toBe(isAllowed);
    }
  });

  it('denies all that it is about when no kind of the server has its parameters', () => {
    const policies = [policy({ paramKind: { apiVersion: 'v1', kind: 'Nope' }, validations: [{ expression: 'true' }] })];
    const elsewhere = { matchResources: { namespaceSelector: { matchLabels: { no: 'where' } } } };
    const denialOf = (bindings: PolicyBinding[]) =>
      askPolicies({ policies, bindings, hasKind: () => false, paramsOf: () => [] }, requestOf()).denial;
    expect(denialOf([binding(elsewhere)])).toEqual({
      message:
        "ValidatingAdmissionPolicy 'few' denied request: failed to configure policy: " +
        "failed to find resource referenced by paramKind: '/v1, Kind=Nope'",
      reason: 'Invalid',
    });
    expect(denialOf([])).toBeUndefined();
    expect(denialOf([binding({ policyName: 'other' })])).toBeUndefined();
  });

  it('may warn only', () => {
    const policies = [policy({ validations: [{ expression: 'false', message: 'too many' }] })];
    const bindings = [binding({ validationActions: ['Warn'] })];
    const verdict = askPolicies({ policies, bindings, hasKind: () => true, paramsOf: () => [] }, requestOf());
    expect(verdict).toEqual({
      denial: undefined,
      warnings: ["Validation failed for ValidatingAdmissionPolicy 'few' with binding 'here': too many"],
      annotations: {},
    });
  });

  const verdictOf = (spec: ValidatingPolicy['spec'], bindings: PolicyBinding[]) =>
    askPolicies({ policies: [policy(spec)], bindings, hasKind: () => true, paramsOf: () => [] }, requestOf());
  const audited = binding({ validationActions: ['Audit'] });

  it('has its first violation in the audit event', () => {
    const validations = ['true', 'false', 'object.spec.replicas > 5'].map((expression) => ({ expression }));
    const { denial, annotations } = verdictOf({ validations }, [audited]);
    const message = 'failed expression: false';
    const where = { policy: 'few', binding: 'here', expressionIndex: 1, validationActions: ['Audit'] };
    const key = 'validation.policy.admission.k8s.io/validation_failure';
    expect([denial, annotations]).toEqual([undefined, { [key]: JSON.stringify([{ message, ...where }]) }]);
  });

  it('has its audit annotations there, each value of a key once, also when it denies', () => {
    const auditAnnotations = [
      { key: 'who', valueExpression: "' ' + object.metadata.name + ' '" },
      { key: 'who', valueExpression: "'web'" },
      { key: 'who', valueExpression: "'more'" },
      { key: 'empty', valueExpression: "''" },
      { key: 'none', valueExpression: 'null' },
    ];
    const { denial, annotations } = verdictOf({ auditAnnotations, validations: [{ expression: 'false' }] }, [
      binding(),
    ]);
    expect(denial?.message).toContain('failed expression: false');
    expect(annotations).toEqual({ 'few/who': 'web, more' });
  });

  it.each([
    ['an audit annotation that fails', { auditAnnotations: [{ key: 'a', valueExpression: 'object.spec.nothing' }] }],
    ['parameters that it does not find', { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }],
  ])('denies because of %s, whatever the action of its binding is', (_, spec) => {
    const bindings = [binding({ ...PARAMS, validationActions: ['Audit'] })];
    expect(verdictOf(spec, bindings).denial?.message).toContain(HEAD);
    expect(verdictOf({ ...spec, failurePolicy: 'Ignore' }, bindings).denial).toBeUndefined();
  });
});
