import { describe, expect, it } from 'vitest';
import { fitted, linesOf, object } from './objects.ts';

describe('PodDisruptionBudgets', () => {
  const budget = (spec: object, metadata = {}): string[] => linesOf(object('PodDisruptionBudget', { spec }, metadata));

  it.each([
    { spec: {}, want: [] },
    { spec: { minAvailable: '50%', selector: { matchLabels: { a: 'b' } } }, want: [] },
    {
      spec: { minAvailable: 1, maxUnavailable: 1 },
      want: [/^spec: Invalid value: {"MinAvailable":1,.*}: minAvailable and maxUnavailable cannot be both set$/],
    },
    {
      spec: { minAvailable: '110%' },
      want: ['spec.minAvailable: Invalid value: "110%": must not be greater than 100%'],
    },
    {
      spec: { maxUnavailable: -1, unhealthyPodEvictionPolicy: 'Sometimes' },
      want: [
        'spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0',
        'spec.unhealthyPodEvictionPolicy: Unsupported value: "Sometimes": ' +
          'supported values: "AlwaysAllow", "IfHealthyBudget"',
      ],
    },
    {
      spec: { selector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } },
      want: [/^spec\.selector\.matchExpressions\[0\]\.operator: .*: not a valid selector operator$/],
    },
  ])('$spec', ({ spec, want }) => {
    expect(fitted(budget(spec), want)).toEqual(want);
  });

  it('have any name that fits into a path', () => {
    expect(budget({}, { name: 'A_b' })).toEqual([]);
    expect(budget({}, { name: 'a/b%' })).toEqual([
      `metadata.name: Invalid value: "a/b%": may not contain '/'`,
      `metadata.name: Invalid value: "a/b%": may not contain '%'`,
    ]);
    expect(budget({}, { name: '..' })).toEqual([`metadata.name: Invalid value: "..": may not be '..'`]);
  });
});

describe('PriorityClasses', () => {
  const reserved = "priority class names with 'system-' prefix are reserved for system use only. error: ";

  it.each([
    { name: 'high', fields: { value: 1_000_000_000, globalDefault: true }, want: [] },
    { name: 'system-node-critical', fields: { value: 2_000_001_000 }, want: [] },
    {
      name: 'high',
      fields: { value: 1_000_000_001, preemptionPolicy: 'Always' },
      want: [
        'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
        'preemptionPolicy: Unsupported value: "Always": supported values: "PreemptLowerPriority", "Never"',
      ],
    },
    {
      name: 'system-mine',
      fields: { value: 1 },
      want: [`metadata.name: Forbidden: ${reserved}system-mine is not a known system priority class`],
    },
    {
      name: 'system-cluster-critical',
      fields: { value: 1 },
      want: [`metadata.name: Forbidden: ${reserved}value of system-cluster-critical PriorityClass must be 2000000000`],
    },
    {
      name: 'system-cluster-critical',
      fields: { value: 2_000_000_000, globalDefault: true },
      want: [
        `metadata.name: Forbidden: ${reserved}globalDefault of system-cluster-critical PriorityClass must be false`,
      ],
    },
  ])('$name $fields', ({ name, fields, want }) => {
    expect(linesOf(object('PriorityClass', fields, { name }))).toEqual(want);
  });
});

describe('RuntimeClasses', () => {
  const tolerations = [{ key: 'a', operator: 'Exists' }];

  it.each([
    { fields: { handler: 'namespace', overhead: { podFixed: { cpu: '10m' } }, scheduling: { tolerations } }, want: [] },
    { fields: {}, want: ['handler: Required value'] },
    {
      fields: { handler: 'kata_1', overhead: { podFixed: { cpu: '-1' } } },
      want: [
        'handler: Invalid value: "kata_1": a lowercase RFC 1123 label must consist of',
        'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      ],
    },
    {
      fields: { handler: 'a', scheduling: { nodeSelector: { a: '-' }, tolerations: [...tolerations, ...tolerations] } },
      want: [
        'scheduling.nodeSelector: Invalid value: "-": a valid label must be',
        'scheduling.tolerations[1]: Duplicate value',
      ],
    },
  ])('$fields', ({ fields, want }) => {
    const lines = linesOf(object('RuntimeClass', fields, { name: 'apart' }));
    expect(lines).toEqual(want.map((text) => expect.stringContaining(text)));
  });
});

describe('LimitRanges', () => {
  const limit = (...limits: object[]): string[] =>
    linesOf(object('LimitRange', { spec: { limits } })).map((line) => line.replace(/^spec\.limits/, ''));

  it.each([
    { limits: [{ type: 'Container', max: { cpu: '2' }, min: { cpu: '1' }, default: { cpu: '1500m' } }], want: [] },
    {
      limits: [{ type: 'Container', max: { cpu: '1' }, min: { cpu: '2' } }],
      want: [
        '[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
        '[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
        '[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
      ],
    },
    {
      limits: [{ type: 'Container', max: { cpu: '1' }, default: { cpu: '2' }, defaultRequest: { cpu: '3' } }],
      want: [
        '[0].defaultRequest[cpu]: Invalid value: "3": default request value 3 is greater than max value 1',
        '[0].defaultRequest[cpu]: Invalid value: "3": default request value 3 is greater than default limit value 2',
        '[0].default[cpu]: Invalid value: "1": default value 2 is greater than max value 1',
      ],
    },
    {
      limits: [{ type: 'Container', maxLimitRequestRatio: { cpu: '500m' } }],
      want: ['[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1'],
    },
    {
      limits: [{ type: 'Container', max: { cpu: '2' }, min: { cpu: '1' }, maxLimitRequestRatio: { cpu: '3' } }],
      want: ['[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000'],
    },
    {
      limits: [{ type: 'Container', max: { cpu: '1' }, min: { cpu: '50m' }, maxLimitRequestRatio: { cpu: '10' } }],
      want: [],
    },
    {
      limits: [{ type: 'Pod', default: { cpu: '1' } }, { type: 'Pod' }, { type: 'Node' }],
      want: [
        "[0].default: Forbidden: may not be specified when `type` is 'Pod'",
        '[1].type: Duplicate value: "Pod"',
        '[2].type: Invalid value: "Node": must be a standard limit type or fully qualified',
      ],
    },
    {
      limits: [{ type: 'PersistentVolumeClaim' }],
      want: [
        '[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
      ],
    },
    {
      limits: [{ type: 'Container', max: { pods: '1' } }],
      want: [
        '[0].max[pods]: Invalid value: "pods": must be a standard resource for containers',
        '[0].default[pods]: Invalid value: "pods": must be a standard resource for containers',
        '[0].defaultRequest[pods]: Invalid value: "pods": must be a standard resource for containers',
      ],
    },
    {
      limits: [{ type: 'Container', default: { 'a.b/c': '2' }, defaultRequest: { 'a.b/c': '1' } }],
      want: [
        '[0].defaultRequest[a.b/c]: Invalid value: "1": ' +
          'default value 2 must equal to defaultRequest value 1 in a.b/c',
      ],
    },
  ])('$limits', ({ limits, want }) => {
    expect(limit(...limits)).toEqual(want);
  });
});

describe('ResourceQuotas', () => {
  const quota = (spec: object): string[] =>
    linesOf(object('ResourceQuota', { spec })).map((line) => line.replace(/^spec\./, ''));
  const priority = { scopeName: 'PriorityClass', operator: 'In', values: ['high'] };

  it.each([
    { spec: { hard: { pods: '3', 'requests.cpu': '1', 'count/jobs.batch': '1' } }, want: [] },
    { spec: { hard: { pods: '1' }, scopeSelector: { matchExpressions: [priority] } }, want: [] },
    {
      spec: {
        hard: { persistentvolumeclaims: '1', 'requests.storage': '1Gi' },
        scopeSelector: { matchExpressions: [{ ...priority, scopeName: 'VolumeAttributesClass' }] },
      },
      want: [],
    },
    {
      spec: { hard: { pods: '-1', cups: '1', services: '500m' } },
      want: [
        'hard[cups]: Invalid value: "cups": must be a standard resource type or fully qualified',
        'hard[cups]: Invalid value: "cups": must be a standard resource for quotas',
        'hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
        'hard[services]: Invalid value: "500m": must be an integer',
      ],
    },
    {
      spec: { hard: { cpu: '1' }, scopes: ['BestEffort', 'NotBestEffort'] },
      want: [
        'scopes: Invalid value: ["BestEffort","NotBestEffort"]: unsupported scope applied to resource',
        'scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
      ],
    },
    { spec: { scopes: ['Mine'] }, want: ['scopes: Invalid value: ["Mine"]: unsupported scope'] },
    {
      spec: { scopeSelector: { matchExpressions: [{ ...priority, values: [] }] } },
      want: [
        "scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' " +
          "or 'NotIn' for scope selector",
      ],
    },
    {
      spec: { scopeSelector: { matchExpressions: [{ scopeName: 'Terminating', operator: 'In', values: ['a'] }] } },
      want: [/^scopeSelector\.matchExpressions\.operator: Invalid value: "In": must be 'Exist' when scope is any of/],
    },
    {
      spec: { scopeSelector: { matchExpressions: [{ ...priority, operator: 'Exists' }] } },
      want: [/^scopeSelector\.matchExpressions\.values: .*: must be no value when `operator` is 'Exist'/],
    },
    {
      spec: { scopeSelector: { matchExpressions: [{ ...priority, operator: 'Like' }] } },
      want: ['scopeSelector.matchExpressions.operator: Invalid value: "Like": not a valid selector operator'],
    },
  ])('$spec', ({ spec, want }) => {
    expect(fitted(quota(spec), want)).toEqual(want);
  });
});
