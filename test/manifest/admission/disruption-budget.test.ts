import { describe, expect, it } from 'vitest';
import type { PodDisruptionBudget } from '../../../src/api/generated/types.ts';
import type { KubeObject, StoredPod } from '../../../src/api/base/objects.ts';
import { budgetEvents, evictionProblem, withBudgetStatus } from '../../../src/manifest/admission/disruption-budget.ts';
import { object } from '../objects.ts';

const budget = (spec: object): PodDisruptionBudget => ({
  metadata: { name: 'b', generation: 2 },
  spec: { selector: { matchLabels: { a: 'b' } }, ...spec },
});

interface PodShape {
  readonly ready?: boolean;
  readonly phase?: string;
  readonly owner?: string;
  readonly deletionTimestamp?: string;
  /** The time of its last change of readiness. */
  readonly since?: string;
}

/** The owners of Pods by uid. */
const OWNERS: Readonly<Record<string, object>> = {
  r: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r' },
  j: { apiVersion: 'batch/v1', kind: 'Job', name: 'j' },
};

let made = 0;

function pod({ ready = true, phase = 'Running', owner, deletionTimestamp, since }: PodShape = {}): KubeObject {
  const owners = owner === undefined ? {} : { ownerReferences: [{ ...OWNERS[owner], uid: owner, controller: true }] };
  made += 1;
  const metadata = {
    name: 'p',
    uid: `p${made}`,
    namespace: 'default',
    labels: { a: 'b' },
    ...owners,
    deletionTimestamp,
  };
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since }];
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: {}, status: { phase, conditions } } as unknown as KubeObject;
}

/** A ReplicaSet of a Deployment with this number of replicas. */
const workload = (replicas: number): KubeObject[] => [
  object('Deployment', { spec: { replicas } }, { uid: 'd' }),
  object('ReplicaSet', { spec: { replicas: 1 } }, { uid: 'r', ownerReferences: [{ uid: 'd', controller: true }] }),
];

describe('the status of a budget', () => {
  it.each<[object, KubeObject[], object]>([
    [{ minAvailable: 1 }, [pod(), pod()], { expectedPods: 2, desiredHealthy: 1, disruptionsAllowed: 1 }],
    [{}, [pod()], { expectedPods: 0, desiredHealthy: 0, disruptionsAllowed: 0 }],
    [{ minAvailable: 0 }, [], { expectedPods: 0, currentHealthy: 0, disruptionsAllowed: 0 }],
    [{ minAvailable: 1 }, [pod({ ready: false }), pod()], { currentHealthy: 1, disruptionsAllowed: 0 }],
    [{ minAvailable: 1 }, [pod({ deletionTimestamp: 'x' }), pod()], { currentHealthy: 1, disruptionsAllowed: 0 }],
    [{ minAvailable: 1 }, [pod({ phase: 'Failed', ready: false }), pod()], { expectedPods: 2, disruptionsAllowed: 0 }],
    [{ minAvailable: '50%' }, [...workload(5), pod({ owner: 'r' })], { expectedPods: 5, desiredHealthy: 3 }],
    [{ maxUnavailable: '30%' }, [...workload(5), pod({ owner: 'r' })], { expectedPods: 5, desiredHealthy: 3 }],
    [{ maxUnavailable: 1 }, [pod(), pod()], { expectedPods: 0, desiredHealthy: 0, disruptionsAllowed: 0 }],
    [
      { maxUnavailable: 1 },
      [...workload(1), pod({ owner: 'r' })],
      { desiredHealthy: 0, conditions: [expect.objectContaining({ status: 'True', reason: 'SufficientPods' })] },
    ],
    [
      { minAvailable: 1 },
      [pod({ since: '2026-01-01T10:00:00Z' }), pod({ since: '2026-01-01T09:00:00Z', ready: false })],
      {
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'False',
            observedGeneration: 2,
            lastTransitionTime: '2026-01-01T10:00:00Z',
            reason: 'InsufficientPods',
            message: '',
          },
        ],
      },
    ],
    [
      { maxUnavailable: 1 },
      [object('Job', { spec: {} }, { uid: 'j' }), pod({ owner: 'j' })],
      {
        disruptionsAllowed: 0,
        conditions: [
          expect.objectContaining({
            status: 'False',
            reason: 'SyncFailed',
            message: 'jobs.batch does not implement the scale subresource',
          }),
        ],
      },
    ],
  ])('%j', (spec, objects, want) => {
    expect(withBudgetStatus(budget(spec), objects).status).toMatchObject({ observedGeneration: 2, ...want });
  });
});

describe('the events of a budget', () => {
  it.each<[string, object, KubeObject[], string[]]>([
    ['without Pods', { minAvailable: 1 }, [], ['Normal NoPods No matching pods found']],
    ['whose Pods it counts', { minAvailable: 1 }, [pod()], []],
    [
      'with Pods of a Job',
      { maxUnavailable: 1 },
      [pod({ owner: 'j' })],
      [
        'Warning CalculateExpectedPodCountFailed Failed to calculate the number of expected pods: ' +
          'jobs.batch does not implement the scale subresource',
      ],
    ],
    [
      'with Pods without a controller',
      { maxUnavailable: 1 },
      [pod()],
      [expect.stringMatching(/^Warning UnmanagedPods /)],
    ],
  ])('%s', (_name, spec, objects, want) => {
    const events = budgetEvents(budget(spec), objects);
    expect(events.map(({ type, reason, message }) => `${type} ${reason} ${message}`)).toEqual(want);
  });
});

describe('an eviction', () => {
  const refused = (spec: object, others: PodShape[], own: PodShape = {}): unknown => {
    const objects = [pod(own), ...others.map(pod)];
    return evictionProblem(pod(own) as unknown as StoredPod, [withBudgetStatus(budget(spec), objects)]);
  };
  const VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget.";

  it('is permitted as long as enough Pods are healthy', () => {
    expect(refused({ minAvailable: 1 }, [{}])).toBeUndefined();
    expect(refused({ minAvailable: 2 }, [{}])).toEqual({
      message: VIOLATION,
      cause: 'The disruption budget b needs 2 healthy pods and has 2 currently',
    });
  });

  it('of a Pod that has ended, waits or goes already is permitted', () => {
    for (const own of [{ phase: 'Failed' }, { phase: 'Pending', ready: false }, { deletionTimestamp: 'x' }])
      expect(refused({ minAvailable: 5 }, [{}], own)).toBeUndefined();
  });

  it('of a Pod that is not ready is permitted beside enough healthy ones, or by policy', () => {
    expect(refused({ minAvailable: 1 }, [{}], { ready: false })).toBeUndefined();
    expect(refused({ minAvailable: 2 }, [{}], { ready: false })).toMatchObject({ message: VIOLATION });
    const always = { minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' };
    expect(refused(always, [{}], { ready: false })).toBeUndefined();
  });

  it('asks the budget that selects the Pod, and no more than one', () => {
    const one = withBudgetStatus(budget({ minAvailable: 5 }), [pod()]);
    const own = pod() as unknown as StoredPod;
    expect(evictionProblem(own, [one, one])?.message).toMatch(/^This pod has more than one PodDisruptionBudget/);
    expect(evictionProblem(own, [{ ...one, spec: { selector: { matchLabels: { a: 'c' } } } }])).toBeUndefined();
    expect(evictionProblem(own, [])).toBeUndefined();
  });
});
