import { describe, expect, it } from 'vitest';
import type { Pod, PriorityClass } from '../../../src/api/generated/types.ts';
import { withPriority, withPullSecrets } from '../../../src/manifest/admission/pod-defaults.ts';
import { pod } from '../objects.ts';

const podWith = (spec: object): Pod => pod(spec as Record<string, unknown>);

describe('the priority of a Pod', () => {
  const classes: PriorityClass[] = [
    { metadata: { name: 'high' }, value: 7, preemptionPolicy: 'Never' },
    { metadata: { name: 'usual' }, value: 3, globalDefault: true },
  ];

  it.each<[string, object, object]>([
    ['that of its class', { priorityClassName: 'high' }, { priority: 7, preemptionPolicy: 'Never' }],
    [
      'that of the default class',
      {},
      { priorityClassName: 'usual', priority: 3, preemptionPolicy: 'PreemptLowerPriority' },
    ],
    ['that of the system', { priorityClassName: 'system-node-critical' }, { priority: 2_000_001_000 }],
    ['its own', { priority: 9 }, { priority: 9 }],
  ])('is %s', (_name, spec, want) => {
    expect(withPriority(podWith(spec), classes).spec).toMatchObject(want);
  });

  it('is none, if its class is not stored', () => {
    const given = podWith({ priorityClassName: 'low' });
    expect(withPriority(given, classes)).toBe(given);
    expect(withPriority(podWith({}), []).spec).not.toHaveProperty('priority');
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
