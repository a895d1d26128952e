import { describe, expect, it } from 'vitest';
import { kindsToCheck } from '../../../src/apiserver/admission/checked-kinds.ts';
import { expressionWarnings } from '../../../src/apiserver/admission/type-checks.ts';
import type { ValidatingPolicy } from '../../../src/apiserver/admission/validating-policies.ts';
import { BUILT_IN_RESOURCES } from '../../../src/apiserver/built-in.ts';
import { servedResourcesOf } from '../../../src/apiserver/custom/served-resources.ts';
import { shirtDefinition } from '../custom/definition-of.ts';

const EMBEDDED = { type: 'object', 'x-kubernetes-embedded-resource': true };
const SHIRTS = servedResourcesOf(
  shirtDefinition({
    type: 'object',
    properties: {
      size: { type: 'integer' },
      port: { 'x-kubernetes-int-or-string': true },
      'x-y': { type: 'string' },
      any: { type: 'object', additionalProperties: true },
      within: EMBEDDED,
    },
  }),
);
const SERVED = [...BUILT_IN_RESOURCES, ...SHIRTS];

const rule = (group: string, ...resources: string[]) => ({ apiGroups: [group], apiVersions: ['v1'], resources });
const DEPLOYMENTS = rule('apps', 'deployments');
const PODS = rule('', 'pods');
const SHIRT = rule('stable.example.com', 'shirts');

function warningsOf(
  resourceRule: object,
  validation: object | string,
  more: Partial<ValidatingPolicy['spec']> = {},
): ReturnType<typeof expressionWarnings> {
  const validations = [typeof validation === 'string' ? { expression: validation } : validation] as never;
  return expressionWarnings(
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'p' },
      spec: { matchConstraints: { resourceRules: [resourceRule] }, validations, ...more },
    },
    SERVED,
  );
}

/** The mistakes of an expression, without the lines that show them. */
function mistakesOf(...args: Parameters<typeof warningsOf>): string[] {
  const lines = warningsOf(...args).flatMap(({ warning }) => warning.split('\n'));
  return lines.flatMap((line) => /ERROR: <input>:(.*)/.exec(line)?.[1] ?? []);
}

const PRIVILEGED =
  'object.spec.template.spec.containers.all(c, !has(c.securityContext) || !has(c.securityContext.Privileged) || ' +
  '!c.securityContext.Privileged)';

describe('the types of a policy', () => {
  it('are checked for each kind, with a text for each', () => {
    expect(warningsOf(rule('apps', 'replicasets', 'deployments'), 'object.replicas > 1')).toEqual([
      {
        fieldRef: 'spec.validations[0].expression',
        warning:
          "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n" +
          ' | object.replicas > 1\n | ......^\n\n' +
          "apps/v1, Kind=ReplicaSet: ERROR: <input>:1:7: undefined field 'replicas'\n" +
          ' | object.replicas > 1\n | ......^\n',
      },
    ]);
  });

  it('are checked in messages as well', () => {
    const validation = { expression: 'object.spec.replicas < 5', messageExpression: "'more: ' + object.spec.replicas" };
    expect(warningsOf(DEPLOYMENTS, validation)).toEqual([
      {
        fieldRef: 'spec.validations[0].messageExpression',
        warning:
          "apps/v1, Kind=Deployment: ERROR: <input>:1:10: found no matching overload for '_+_' applied to " +
          "'(string, int)'\n | 'more: ' + object.spec.replicas\n | .........^\n",
      },
    ]);
  });

  it('of the core group have no group', () => {
    const [only] = warningsOf(PODS, 'object.spec.nosuch == 1');
    expect(only?.warning).toMatch(/^\/v1, Kind=Pod: ERROR: /);
  });

  it.each<[object, string, string[]]>([
    [DEPLOYMENTS, 'object.spec.replicas <= 5', []],
    [DEPLOYMENTS, PRIVILEGED, ["1:76: undefined field 'Privileged'", "1:128: undefined field 'Privileged'"]],
    [
      DEPLOYMENTS,
      "object.spec.replicas > '1' && object.spec.nonExisting == 1",
      ["1:22: found no matching overload for '_>_' applied to '(int, string)'", "1:42: undefined field 'nonExisting'"],
    ],
    [
      DEPLOYMENTS,
      'object.spec == 1',
      ["1:13: found no matching overload for '_==_' applied to '(Deployment1.spec, int)'"],
    ],
    [DEPLOYMENTS, "object.spec.strategy.rollingUpdate.maxSurge == '25%'", []],
    [DEPLOYMENTS, 'has(object.spec.nosuch.deeper)', ["1:16: undefined field 'nosuch'"]],
    [DEPLOYMENTS, "object.metadata.namespace == 'a' && oldObject == null", []],
    [
      PODS,
      "object.metadata.labels['a'] == 'b' && object.metadata.creationTimestamp < timestamp('2026-01-01T00:00:00Z')",
      [],
    ],
    [PODS, "object.spec.containers.all(c, c.resources.limits['cpu'] != '')", ["1:42: undefined field 'limits'"]],
    [
      PODS,
      "object.spec.volumes[0].name + object.spec.volumes['a'].name != ''",
      ["1:50: found no matching overload for '_[_]' applied to '(list(Pod1.spec.volumes.@idx), string)'"],
    ],
    [PODS, "authorizer.group('').resource('pods').check('get').allowed() && request.operation == 'CREATE'", []],
    [
      PODS,
      'authorizer.allowed()',
      ["1:19: found no matching overload for 'allowed' applied to 'kubernetes.authorization.Authorizer.()'"],
    ],
    [
      PODS,
      "namespaceObject.metadata.labels.env == 'a' && namespaceObject.nosuch == 1",
      ["1:62: undefined field 'nosuch'"],
    ],
    [rule('', 'secrets'), "object.data.all(k, object.data[k] == b'a')", []],
    [
      rule('apiextensions.k8s.io', 'customresourcedefinitions'),
      'object.spec.names.plural == 1',
      ["1:26: found no matching overload for '_==_' applied to '(string, int)'"],
    ],
    [SHIRT, "object.spec.size > 1 && object.spec.port == 'http' && object.spec.x__dash__y == 'a'", []],
    [PODS, "object.metadata.name.matches('^a+$')", []],
    [SHIRT, "object.spec.size == 'a'", ["1:18: found no matching overload for '_==_' applied to '(int, string)'"]],
    [SHIRT, 'object.metadata.labels.a == object.spec.within.metadata.labels.a && has(object.spec.any)', []],
    [rule('', 'nothings'), 'object.nosuch', []],
  ])('%j: %s', (resourceRule, expression, mistakes) => {
    expect(mistakesOf(resourceRule, expression)).toEqual(mistakes);
  });

  it('are known for its variables, but not for the fields of an object behind one', () => {
    const variables = [
      { name: 'names', expression: 'object.spec.template.spec.containers.map(c, c.name)' },
      { name: 'spec', expression: 'object.spec' },
      { name: 'wrong', expression: 'object.nosuch' },
    ];
    const mistake = "found no matching overload for '_==_' applied to '(list(string), int)'";
    expect(mistakesOf(DEPLOYMENTS, 'variables.names == 1', { variables })).toEqual([`1:17: ${mistake}`]);
    expect(mistakesOf(DEPLOYMENTS, 'variables.spec.nosuch && variables.wrong == 1', { variables })).toEqual([]);
  });

  it('are known for its parameters if the server has their kind', () => {
    const mistake = "1:20: undefined field 'nosuch'";
    const check = (kind: string): string[] =>
      mistakesOf(DEPLOYMENTS, 'params.data.a == params.nosuch.b', { paramKind: { apiVersion: 'v1', kind } });
    expect(check('ConfigMap')).toEqual([mistake.replace('1:20', '1:24')]);
    expect(check('Nothing')).toEqual([]);
  });
});

describe('the kinds to check', () => {
  it.each<[object[], string[]]>([
    [[], []],
    [
      [DEPLOYMENTS, PODS],
      ['/v1 Pod', 'apps/v1 Deployment'],
    ],
    [[DEPLOYMENTS, DEPLOYMENTS, rule('apps', 'deployment')], ['apps/v1 Deployment']],
    [[rule('apps', '*', 'deployments/scale', 'deployments/*')], []],
    [[rule('*', 'deployments'), { ...DEPLOYMENTS, apiVersions: ['v1', '*'] }], []],
    [[{ ...DEPLOYMENTS, apiVersions: ['v1beta1'] }], []],
    [[rule('', 'events')], ['/v1 Event', 'events.k8s.io/v1 Event']],
  ])('%j', (rules, kinds) => {
    expect(kindsToCheck(rules, SERVED).map(({ group, version, kind }) => `${group}/${version} ${kind}`)).toEqual(kinds);
  });

  it('are at most ten of a rule, which is the last one then', () => {
    const core = 'configmaps endpoints limitranges namespaces nodes pods podtemplates secrets serviceaccounts services';
    const rules = [rule('', ...core.split(' '), 'replicationcontrollers'), DEPLOYMENTS];
    expect(kindsToCheck(rules, SERVED).map(({ kind }) => kind)).toHaveLength(10);
  });
});
