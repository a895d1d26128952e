import { describe, expect, it } from 'vitest';
import type { Pod, PriorityClass } from '../../../src/api/generated/types.ts';
import {
  priorityClassProblem,
  withPriority,
  withPullSecrets,
  withTolerations,
} from '../../../src/manifest/admission/pod-defaults.ts';
import { pod } from '../objects.ts';

const podWith = (spec: object): Pod => pod(spec as Record<string, unknown>);

describe('the priority of a Pod', () => {
  const classes: PriorityClass[] = [
    { metadata: { name: 'high' }, value: 7, preemptionPolicy: 'Never' },
    { metadata: { name: 'usual' }, value: 3, globalDefault: true },
  ];

  it.each<[string, object, object]>([
    ["its class's", { priorityClassName: 'high' }, { priority: 7, preemptionPolicy: 'Never' }],
    ["the default class's", {}, { priorityClassName: 'usual', priority: 3, preemptionPolicy: 'PreemptLowerPriority' }],
    ["the system's", { priorityClassName: 'system-node-critical' }, { priority: 2_000_001_000 }],
  ])('is %s', (_name, spec, want) => {
    expect(withPriority(podWith(spec), classes)).toMatchObject({ pod: { spec: want } });
  });

  it('is 0 without a class', () => {
    const exported = podWith({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    expect(withPriority(exported, [])).toEqual({ pod: exported });
    expect(withPriority(podWith({}), [])).toEqual({ pod: exported });
  });

  it('is the least of several default classes', () => {
    const least = { metadata: { name: 'least' }, value: 2, globalDefault: true };
    expect(withPriority(podWith({}), [...classes, least])).toMatchObject({ pod: { spec: { priority: 2 } } });
  });

  const computed = 'must not be provided in pod spec; priority admission controller computed';
  it.each<[object, string]>([
    [{ priorityClassName: 'nope' }, 'no PriorityClass with name nope was found'],
    [
      { priorityClassName: 'high', priority: 8 },
      `the integer value of priority (8) ${computed} 7 from the given PriorityClass name`,
    ],
    [
      { priorityClassName: 'high', preemptionPolicy: 'PreemptLowerPriority' },
      `the string value of PreemptionPolicy (PreemptLowerPriority) ${computed} Never from the given PriorityClass name`,
    ],
  ])('is refused: %j', (spec, problem) => {
    expect(withPriority(podWith(spec), classes)).toEqual({ problem });
  });

  it.each<[object, string]>([
    [{ priority: 9 }, `the integer value of priority (9) ${computed} 0 from the given PriorityClass name`],
    [
      { preemptionPolicy: 'Never' },
      `the string value of PreemptionPolicy (Never) ${computed} PreemptLowerPriority from the given PriorityClass name`,
    ],
  ])('is refused without a class: %j', (spec, problem) => {
    expect(withPriority(podWith(spec), [])).toEqual({ problem });
  });
});

describe('a default PriorityClass', () => {
  const usual = { metadata: { name: 'usual' }, value: 3, globalDefault: true };

  it('has no other beside it, but may be changed', () => {
    const other = { metadata: { name: 'other' }, value: 3, globalDefault: true };
    expect(priorityClassProblem(other, [usual])).toBe(
      'PriorityClass usual is already marked as default. Only one default can exist',
    );
    expect(priorityClassProblem(usual, [usual])).toBeUndefined();
    expect(priorityClassProblem({ ...other, globalDefault: false }, [usual])).toBeUndefined();
    expect(priorityClassProblem(other, [])).toBeUndefined();
  });
});

describe('pull secrets', () => {
  const account = { metadata: { name: 'default' }, imagePullSecrets: [{ name: 'a' }] };

  it('come from the ServiceAccount, unless the Pod names some', () => {
    expect(withPullSecrets(podWith({}), account).spec?.imagePullSecrets).toEqual([{ name: 'a' }]);
    const own = podWith({ imagePullSecrets: [{ name: 'b' }] });
    expect(withPullSecrets(own, account)).toBe(own);
    expect(withPullSecrets(own, undefined)).toBe(own);
  });
});

describe('the tolerations of a Pod', () => {
  const [notReady, unreachable] = ['not-ready', 'unreachable'].map((name) => {
    return { key: `node.kubernetes.io/${name}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 };
  });
  const unready = 'node.kubernetes.io/not-ready';

  it.each<[string, object[], object[]]>([
    ['are added', [], [notReady!, unreachable!]],
    [
      'follow its own',
      [{ key: 'gpu', operator: 'Exists' }],
      [{ key: 'gpu', operator: 'Exists' }, notReady!, unreachable!],
    ],
    ['of its own count', [{ key: unready, operator: 'Exists' }], [{ key: unready, operator: 'Exists' }, unreachable!]],
    [
      'of its own for another effect do not count',
      [{ key: unready, operator: 'Exists', effect: 'NoSchedule' }],
      [{ key: unready, operator: 'Exists', effect: 'NoSchedule' }, notReady!, unreachable!],
    ],
    ['for every taint count', [{ operator: 'Exists' }], [{ operator: 'Exists' }]],
  ])('%s', (_name, tolerations, want) => {
    const given = podWith({ tolerations });
    expect(withTolerations(given).spec?.tolerations).toEqual(want);
  });
});
