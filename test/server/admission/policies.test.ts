import { beforeAll, describe, expect, it } from 'vitest';
import { loadPatterns } from '../../../src/server/custom/patterns.ts';
import { askPolicies, type AdmissionPolicy, type PolicyBinding } from '../../../src/server/admission/policies.ts';
import { DEPLOYMENTS, requestOf } from './request-of.ts';

beforeAll(loadPatterns);

const policy = (spec: AdmissionPolicy['spec']): AdmissionPolicy => ({
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

const HEAD = "ValidatingAdmissionPolicy 'few' with binding 'here' denied request: ";

function denialBy(spec: AdmissionPolicy['spec'], params?: object): string | undefined {
  const paramsOf = () => params as never;
  return askPolicies({ policies: [policy(spec)], bindings: [binding()], paramsOf }, requestOf()).denial?.message;
}

describe('a ValidatingAdmissionPolicy', () => {
  it.each<[string, AdmissionPolicy['spec'], string | undefined]>([
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
      "expression 'object.spec.nothing == 1' resulted in error: No such key: nothing",
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

  it('may warn only', () => {
    const policies = [policy({ validations: [{ expression: 'false', message: 'too many' }] })];
    const bindings = [binding({ validationActions: ['Warn'] })];
    const verdict = askPolicies({ policies, bindings, paramsOf: () => undefined }, requestOf());
    expect(verdict).toEqual({
      denial: undefined,
      warnings: ["Validation failed for ValidatingAdmissionPolicy 'few' with binding 'here': too many"],
    });
  });
});
