import { describe, expect, it } from 'vitest';
import { formatFieldError } from '../../src/manifest/base/field-error.ts';
import { validateObject } from '../../src/manifest/validate/index.ts';

const apiVersion = 'admissionregistration.k8s.io/v1';
const RULE = { operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] };
const MUTATION = { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } };
const SPEC = {
  failurePolicy: 'Fail',
  matchConstraints: { resourceRules: [RULE] },
  mutations: [MUTATION],
  reinvocationPolicy: 'Never',
};

function linesOf(kind: string, spec: object): string[] {
  return validateObject({ apiVersion, kind, metadata: { name: 'p' }, spec }).map(formatFieldError);
}

describe('a MutatingAdmissionPolicy', () => {
  it.each<[string, object, string[]]>([
    ['is valid', {}, []],
    ['has constraints', { matchConstraints: undefined }, ['spec.matchConstraints: Required value']],
    [
      'changes only what is created or changed',
      { matchConstraints: { resourceRules: [{ ...RULE, operations: ['DELETE'] }] } },
      [
        'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": ' +
          'supported values: "CREATE", "UPDATE"',
      ],
    ],
    ['has mutations', { mutations: [] }, ['spec.mutations: Required value: mutations must contain at least one item']],
    ['says when again', { reinvocationPolicy: undefined }, ['spec.reinvocationPolicy: Required value']],
    [
      'has the part of its type',
      { mutations: [{ patchType: 'JSONPatch', applyConfiguration: { expression: 'x' } }] },
      [
        'spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch',
        'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": ' +
          'must not be specified when patchType is JSONPatch',
      ],
    ],
    [
      'has an expression',
      { mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: ' ' } }] },
      ['spec.mutations[0].jsonPatch.expression: Required value'],
    ],
    [
      'knows two types',
      { mutations: [{ patchType: 'Foo' }] },
      [
        'spec.mutations[0].patchType: Unsupported value: "Foo": ' +
          'supported values: "ApplyConfiguration", "JSONPatch"',
      ],
    ],
  ])('%s', (_, change, wanted) => {
    expect(linesOf('MutatingAdmissionPolicy', { ...SPEC, ...change })).toEqual(wanted);
  });
});

describe('a MutatingAdmissionPolicyBinding', () => {
  it.each<[object, string[]]>([
    [{ policyName: 'p' }, []],
    [{}, ['spec.policyName: Required value']],
    [{ policyName: 'p', paramRef: { name: 'a' } }, ['spec.paramRef.parameterNotFoundAction: Required value']],
  ])('%j', (spec, wanted) => {
    expect(linesOf('MutatingAdmissionPolicyBinding', spec)).toEqual(wanted);
  });
});
