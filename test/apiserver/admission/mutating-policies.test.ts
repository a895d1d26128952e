import { beforeAll, describe, expect, it } from 'vitest';
import { shapeOfType } from '../../../src/api/apply/index.ts';
import { mutatedByPolicies, type MutatingPolicy } from '../../../src/apiserver/admission/mutating-policies.ts';
import type { PolicyBinding } from '../../../src/apiserver/admission/policies.ts';
import { loadPatterns } from '../../../src/apiserver/custom/base/patterns.ts';
import { DEPLOYMENTS, requestOf } from './request-of.ts';

beforeAll(loadPatterns);

const apiVersion = 'admissionregistration.k8s.io/v1';
const policy = (spec: MutatingPolicy['spec'], name = 'more'): MutatingPolicy => ({
  apiVersion,
  kind: 'MutatingAdmissionPolicy',
  metadata: { name },
  spec: { matchConstraints: { resourceRules: [DEPLOYMENTS] }, ...spec },
});
const binding = (spec: PolicyBinding['spec'] = {}): PolicyBinding => ({
  apiVersion,
  kind: 'MutatingAdmissionPolicyBinding',
  metadata: { name: 'here' },
  spec: { policyName: 'more', ...spec },
});

const apply = (expression: string): object => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patch = (expression: string): object => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: { replicas: 3, template: { spec: { containers: [{ name: 'a', image: 'a:1' }], nodeSelector: { x: 'y' } } } },
};

interface Given extends Omit<MutatingPolicy['spec'], 'mutations'> {
  readonly mutations: readonly object[];
}

function mutated(spec: Given, bound: PolicyBinding['spec'] = {}, params: readonly object[] = []) {
  return mutatedByPolicies(
    {
      policies: [policy(spec as MutatingPolicy['spec'])],
      bindings: [binding(bound)],
      hasKind: () => true,
      paramsOf: () => params as never,
    },
    { ...requestOf(), object: DEPLOYMENT },
    shapeOfType('apps.Deployment'),
  );
}

describe('a MutatingAdmissionPolicy', () => {
  it.each<[string, Given, object]>([
    [
      'adds what it applies',
      { mutations: [apply('Object{metadata: Object.metadata{annotations: {"by": "policy"}}}')] },
      { metadata: { ...DEPLOYMENT.metadata, annotations: { by: 'policy' } } },
    ],
    [
      'merges a list by its keys',
      {
        mutations: [
          apply(
            'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [' +
              'Object.spec.template.spec.containers{name: "b", image: "b:1"}]}}}}',
          ),
        ],
      },
      {
        spec: {
          replicas: 3,
          template: {
            spec: {
              containers: [
                { name: 'a', image: 'a:1' },
                { name: 'b', image: 'b:1' },
              ],
              nodeSelector: { x: 'y' },
            },
          },
        },
      },
    ],
    [
      'patches',
      { mutations: [patch('[JSONPatch{op: "replace", path: "/spec/replicas", value: object.spec.replicas + 1}]')] },
      { spec: { ...DEPLOYMENT.spec, replicas: 4 } },
    ],
    [
      'leaves an object whose test fails',
      {
        mutations: [
          patch(
            '[JSONPatch{op: "test", path: "/spec/replicas", value: 9}, ' +
              'JSONPatch{op: "remove", path: "/spec/replicas"}]',
          ),
        ],
      },
      {},
    ],
    [
      'sees its own changes, and its variables',
      {
        variables: [{ name: 'n', expression: 'object.spec.replicas' }],
        mutations: [
          apply('Object{spec: Object.spec{replicas: variables.n + 1}}'),
          apply('Object{spec: Object.spec{replicas: object.spec.replicas + variables.n}}'),
        ],
      },
      { spec: { ...DEPLOYMENT.spec, replicas: 7 } },
    ],
    [
      'is not asked when its conditions are not met',
      {
        matchConditions: [{ name: 'a', expression: 'object.spec.replicas > 5' }],
        mutations: [apply('Object{spec: Object.spec{replicas: 1}}')],
      },
      {},
    ],
    [
      'may ignore failures, and goes on behind them',
      {
        failurePolicy: 'Ignore',
        mutations: [apply('Object{spec: object.nope}'), apply('Object{spec: Object.spec{replicas: 1}}')],
      },
      { spec: { ...DEPLOYMENT.spec, replicas: 1 } },
    ],
  ])('%s', (_, spec, change) => {
    expect(mutated(spec)).toEqual({ object: { ...DEPLOYMENT, ...change }, problems: [] });
  });

  const HEAD = "policy 'more' with binding 'here' denied request: ";
  it.each<[string, object, string]>([
    [
      'a value that is not there',
      apply('Object{spec: object.nope}'),
      "expression 'Object{spec: object.nope}' resulted in error: no such key: nope",
    ],
    [
      'a field that the schema lacks',
      apply('Object{spec: Object.spec{nope: 1}}'),
      'error applying patch: failed to convert patch object to typed object: .spec.nope: field not declared in schema',
    ],
    [
      'an object of another place',
      apply('Object{spec: Object.other{replicas: 1}}'),
      'type mismatch: unexpected type name "Object.other", expected "Object.spec", ' +
        'which matches field name path from root Object type',
    ],
    [
      'a map that would be replaced as a whole',
      apply(
        'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{' +
          'nodeSelector: {"a": "b"}}}}}',
      ),
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ' +
        '.spec.template.spec.nodeSelector',
    ],
    [
      'a patch that does not fit',
      patch('[JSONPatch{op: "remove", path: "/spec/nope"}]'),
      "JSONPath: error in remove for path: '/spec/nope': unable to remove nonexistent key: nope: missing value",
    ],
    [
      'an object that becomes something else',
      patch('[JSONPatch{op: "replace", path: "/spec", value: "x"}]'),
      'json: cannot unmarshal string into Go struct field Deployment.spec of type v1.DeploymentSpec',
    ],
  ])('refuses %s', (_, mutation, message) => {
    const { object, problems } = mutated({ mutations: [mutation] });
    expect(object).toEqual(DEPLOYMENT);
    expect(problems).toEqual([{ message: HEAD + message, reason: 'Invalid' }]);
  });

  it('is asked for each object of parameters', () => {
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      mutations: [apply('Object{metadata: Object.metadata{labels: params.data}}')],
    };
    const paramRef = { selector: {}, parameterNotFoundAction: 'Deny' };
    const { object } = mutated(spec, { paramRef }, [{ data: { a: '1' } }, { data: { b: '2' } }]);
    expect(object.metadata.labels).toEqual({ app: 'web', a: '1', b: '2' });
    expect(mutated(spec, { paramRef }).problems).toEqual([
      {
        message:
          `${HEAD}failed to configure binding: ` +
          'no params found for policy binding with `Deny` parameterNotFoundAction',
        reason: 'Forbidden',
      },
    ]);
    expect(mutated(spec, { paramRef: { selector: {}, parameterNotFoundAction: 'Allow' } }).problems).toEqual([]);
  });
});
