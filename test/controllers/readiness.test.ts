import { expect, it } from 'vitest';
import { whyNotReady } from '../../src/controllers/index.ts';

const gadget = (status: object | undefined, metadata: object = {}): ReturnType<typeof whyNotReady> =>
  whyNotReady({
    apiVersion: 'shop.example.com/v1',
    kind: 'Gadget',
    metadata: { name: 'lamp', generation: 2, ...metadata },
    ...(status && { status }),
  });

// The rules of kstatus for an object of any kind.
it.each([
  { why: 'without a status', status: undefined, want: undefined },
  { why: 'with Ready', status: { conditions: [{ type: 'Ready', status: 'True' }] }, want: undefined },
  {
    why: 'without Ready',
    status: { conditions: [{ type: 'Ready', status: 'False', reason: 'NoLamp' }] },
    want: 'its condition Ready is False: NoLamp',
  },
  {
    why: 'with an unknown Ready, and Available',
    status: { conditions: [{ type: 'Available', status: 'True' }, { type: 'Ready' }] },
    want: 'its condition Ready is Unknown',
  },
  { why: 'with Available', status: { conditions: [{ type: 'Available', status: 'True' }] }, want: undefined },
  {
    why: 'with Established',
    status: { conditions: [{ type: 'Established', status: 'False' }] },
    want: 'its condition Established is False',
  },
  {
    why: 'with an old status',
    status: { observedGeneration: 1, conditions: [{ type: 'Ready', status: 'True' }] },
    want: 'its status is not of generation 2 yet',
  },
  {
    why: 'with an old condition',
    status: { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] },
    want: 'its condition Ready is not of generation 2 yet',
  },
  {
    why: 'that is changed',
    status: { conditions: [{ type: 'Reconciling', status: 'True' }] },
    want: 'it is changed at the moment',
  },
  {
    why: 'that has stalled',
    status: { conditions: [{ type: 'Stalled', status: 'True', reason: 'Quota' }] },
    want: 'it has stalled: Quota',
  },
])('an object $why', ({ status, want }) => {
  expect(gadget(status)).toBe(want);
});

it('an object that is being deleted is not ready', () => {
  expect(gadget({}, { deletionTimestamp: '2026-01-15T12:00:00Z' })).toBe('it is being deleted');
});

it('a workload is ready with its Pods', () => {
  const set = (readyReplicas: number, apiVersion = 'apps/v1'): ReturnType<typeof whyNotReady> =>
    whyNotReady({
      apiVersion,
      kind: 'ReplicaSet',
      metadata: { name: 'web', generation: 1 },
      spec: { replicas: 2 },
      status: { observedGeneration: 1, replicas: 2, readyReplicas },
    });
  expect([set(1), set(2), set(1, 'shop.example.com/v1')]).toEqual(['its Pods are not ready', undefined, undefined]);
});
