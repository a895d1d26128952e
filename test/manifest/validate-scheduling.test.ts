import { describe, expect, it } from 'vitest';
import { linesOf, pod } from './objects.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

describe('node affinity', () => {
  const requiring = (...matchExpressions: object[]): string[] =>
    linesOf(pod({ affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ matchExpressions }] } } } }));
  const at = `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[0].matchExpressions[0]`;

  it.each([{ operator: 'In', values: ['a'] }, { operator: 'Exists' }, { operator: 'Gt', values: ['1'] }])(
    'takes %j',
    (rest) => {
      expect(requiring({ key: 'k', ...rest })).toEqual([]);
    },
  );

  it.each([
    {
      rest: { operator: 'NotIn' },
      want: "values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    },
    {
      rest: { operator: 'DoesNotExist', values: ['a'] },
      want: "values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    },
    {
      rest: { operator: 'Lt', values: [] },
      want: "values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
    },
    { rest: {}, want: 'operator: Invalid value: "": not a valid selector operator' },
  ])('refuses $rest', ({ rest, want }) => {
    expect(requiring({ key: 'k', ...rest })).toEqual([`${at}.${want}`]);
  });

  it('needs terms', () => {
    expect(linesOf(pod({ affinity: { nodeAffinity: { [REQUIRED]: {} } } }))).toEqual([
      `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms: Required value: ` +
        'must have at least one node selector term',
    ]);
  });

  it('knows one field of nodes, by one value', () => {
    const matchFields = [
      { key: 'metadata.name', operator: 'In', values: ['a', 'B'] },
      { key: 'metadata.uid', operator: 'Exists' },
    ];
    const lines = linesOf(
      pod({ affinity: { nodeAffinity: { [PREFERRED]: [{ weight: 1, preference: { matchFields } }] } } }),
    );
    expect(lines.map((line) => line.replace(/^.*matchFields/, '').slice(0, 60))).toEqual([
      '[0].values: Required value: must be only one value when `ope',
      '[0].values[1]: Invalid value: "B": a lowercase RFC 1123 subd',
      '[1].operator: Invalid value: "Exists": not a valid selector ',
      '[1].key: Invalid value: "metadata.uid": not a valid field se',
    ]);
  });

  it('may prefer values that no node can have, but not require them', () => {
    const matchExpressions = [{ key: 'k', operator: 'In', values: ['-'] }];
    const preferring = { nodeAffinity: { [PREFERRED]: [{ weight: 100, preference: { matchExpressions } }] } };
    expect(linesOf(pod({ affinity: preferring }))).toEqual([]);
    expect(requiring(...matchExpressions)).toEqual([expect.stringContaining('values[0]: Invalid value: "-"')]);
  });
});

describe('pod affinity', () => {
  const term = { topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } } };
  const requiring = (fields: object): string[] =>
    linesOf(pod({ affinity: { podAffinity: { [REQUIRED]: [{ ...term, ...fields }] } } })).map((line) =>
      line.replace(`spec.affinity.podAffinity.${REQUIRED}[0].`, ''),
    );

  it('takes keys whose values are shared or not', () => {
    expect(requiring({ matchLabelKeys: ['a'], mismatchLabelKeys: ['b'], namespaces: ['x'] })).toEqual([]);
  });

  it('refuses keys without a selector, keys on both sides, namespaces that are none', () => {
    expect(requiring({ matchLabelKeys: ['a', 'b'], mismatchLabelKeys: ['b'], namespaces: ['a.b'] })).toEqual([
      'namespace: Invalid value: "a.b": must not contain dots',
      'matchLabelKeys[1]: Invalid value: "b": exists in both matchLabelKeys and mismatchLabelKeys',
    ]);
    expect(requiring({ labelSelector: undefined, matchLabelKeys: ['a'] })).toEqual([
      'matchLabelKeys: Forbidden: must not be specified when labelSelector is not set',
    ]);
  });

  it('weighs what it prefers', () => {
    const podAntiAffinity = { [PREFERRED]: [{ weight: 101, podAffinityTerm: term }] };
    expect(linesOf(pod({ affinity: { podAntiAffinity } }))).toEqual([
      `spec.affinity.podAntiAffinity.${PREFERRED}[0].weight: Invalid value: 101: must be in the range 1-100`,
    ]);
  });
});

describe('tolerations', () => {
  it.each([
    { operator: 'Exists' },
    { key: 'a', value: 'b' },
    { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
  ])('take %j', (toleration) => {
    expect(linesOf(pod({ tolerations: [toleration] }))).toEqual([]);
  });

  it.each([
    {
      toleration: { key: 'a', operator: 'Exists', tolerationSeconds: 1 },
      want: 'effect: Invalid value: "": effect must be \'NoExecute\' when `tolerationSeconds` is set',
    },
    {
      toleration: { key: 'a', operator: 'Gt' },
      want: 'operator: Unsupported value: "Gt": supported values: "Equal", "Exists"',
    },
  ])('refuse $toleration', ({ toleration, want }) => {
    expect(linesOf(pod({ tolerations: [toleration] }))).toEqual([`spec.tolerations[0].${want}`]);
  });

  it('report a bad value at the operator, all reasons in one', () => {
    const value = `-${'a'.repeat(63)}`;
    expect(linesOf(pod({ tolerations: [{ key: 'a', value }] }))).toEqual([
      expect.stringMatching(
        /^spec\.tolerations\[0\]\.operator: .*: must be no more than 63 bytes;a valid label must be/,
      ),
    ]);
  });
});

describe('topology spread', () => {
  const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {} };
  const lines = (fields: object): string[] =>
    linesOf(pod({ topologySpreadConstraints: [{ ...constraint, ...fields }] })).map((line) =>
      line.replace('spec.topologySpreadConstraints[0].', ''),
    );

  it.each([
    { fields: { maxSkew: 0 }, want: ['maxSkew: Invalid value: 0: must be greater than zero'] },
    { fields: { topologyKey: '' }, want: ['topologyKey: Required value: can not be empty'] },
    {
      fields: { minDomains: 0 },
      want: [
        'minDomains: Invalid value: 0: must be greater than zero',
        'minDomains: Invalid value: 0: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
      ],
    },
    {
      fields: { nodeTaintsPolicy: 'Obey' },
      want: ['nodeTaintsPolicy: Unsupported value: "Obey": supported values: "Honor", "Ignore"'],
    },
    {
      fields: { matchLabelKeys: ['a'], labelSelector: undefined },
      want: ['matchLabelKeys: Forbidden: must not be specified when labelSelector is not set'],
    },
    {
      fields: { matchLabelKeys: ['a'], labelSelector: { matchLabels: { a: 'b' } } },
      want: ['matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector'],
    },
  ])('refuses $fields', ({ fields, want }) => {
    expect(lines(fields)).toEqual(want);
  });
});

describe('gates', () => {
  it('are named once', () => {
    const schedulingGates = [{ name: 'example.com/a' }, { name: 'example.com/a' }];
    expect(linesOf(pod({ schedulingGates }))).toEqual(['spec.schedulingGates[1]: Duplicate value: "example.com/a"']);
  });
});
