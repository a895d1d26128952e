import { describe, expect, it } from 'vitest';
import { isLookedAt, podGoal, rootGoalState } from '../../../src/controllers/goals/root-goal.ts';
import { type GoalState, parseGoal, type PodGoal } from '../../../src/lifecycle/requests/goal.ts';
import { podRoot, type Root } from '../../../src/lifecycle/requests/root.ts';
import { conditions, waiting, webPod } from '../../print/pods.ts';
import { condition, root, workload } from './roots.ts';

const goal = (text: string): PodGoal => parseGoal(text) ?? { type: 'failed' };

const FULL = { replicas: 3, readyReplicas: 3, availableReplicas: 3, updatedReplicas: 3 };
const ALL_SCHEDULED = {
  desiredNumberScheduled: 1,
  currentNumberScheduled: 1,
  updatedNumberScheduled: 1,
  numberReady: 1,
  numberAvailable: 1,
};
const LATE = { conditions: [condition('Progressing', 'ProgressDeadlineExceeded', 'False')] };
const complete = root(workload('Job', { conditions: [condition('Complete')], succeeded: 5 }));
const failed = root(workload('Job', { conditions: [condition('Failed')] }));
const NOT_READY = conditions({ Initialized: 'True', Ready: 'False', ContainersReady: 'False', PodScheduled: 'True' });
const noImage = webPod({
  metadata: { uid: 'p-1' },
  status: { phase: 'Pending', conditions: NOT_READY, containerStatuses: [waiting('main', 'ImagePullBackOff')] },
});

describe('the state of a goal', () => {
  it.each<[string, Root, Record<string, GoalState>]>([
    ['a new Deployment', root(workload('Deployment')), { ready: 'pending', available: 'pending' }],
    [
      'a Deployment with all Pods',
      root(workload('Deployment', { ...FULL, conditions: [condition('Available')] })),
      { ready: 'met', available: 'met', 'Available=False': 'pending', Progressing: 'pending' },
    ],
    [
      'a Deployment in the middle of a rollout',
      root(workload('Deployment', { ...FULL, updatedReplicas: 2, conditions: [condition('Available')] })),
      { ready: 'pending', available: 'met' },
    ],
    [
      'a Deployment whose controller has not seen the change',
      root(workload('Deployment', { ...FULL, observedGeneration: 1, conditions: [condition('Available')] })),
      { ready: 'pending', available: 'pending' },
    ],
    [
      'a Deployment that missed its deadline',
      root(workload('Deployment', { replicas: 3, updatedReplicas: 3, readyReplicas: 1, ...LATE })),
      { ready: 'impossible', available: 'impossible', 'Progressing=False': 'met', ReplicaFailure: 'pending' },
    ],
    [
      'a Deployment that is being deleted',
      root(workload('Deployment', FULL, {}, { deletionTimestamp: '2026-01-15T12:00:00Z' })),
      { ready: 'impossible' },
    ],
    ['a Deployment that is gone', root(workload('Deployment', FULL), [], true), { ready: 'impossible' }],
    [
      'a Deployment whose only Pod waits for an unknown image',
      root(workload('Deployment', { replicas: 1, updatedReplicas: 1 }), [noImage]),
      { ready: 'impossible', available: 'impossible', ReplicaFailure: 'pending' },
    ],
    [
      'a Deployment whose old Pod waits for an unknown image while a new revision begins',
      root(workload('Deployment', { replicas: 1 }), [noImage]),
      { ready: 'pending' },
    ],
    [
      'a Deployment with another Pod that may still become Ready',
      root(workload('Deployment', { replicas: 2, updatedReplicas: 2 }), [
        noImage,
        webPod({ metadata: { uid: 'p-2' }, status: { conditions: NOT_READY } }),
      ]),
      { ready: 'pending' },
    ],
    ['a Deployment whose Pods ended with the last run', root(workload('Deployment', FULL), []), { ready: 'pending' }],
    ['a Deployment without replicas', root(workload('Deployment', {}, { replicas: 0 })), { ready: 'met' }],
    ['a ReplicaSet with two of three', root(workload('ReplicaSet', { readyReplicas: 2 })), { ready: 'pending' }],
    [
      'a ReplicaSet whose Pods are Ready, but not long enough',
      root(workload('ReplicaSet', { readyReplicas: 3, availableReplicas: 1 })),
      { ready: 'met', available: 'pending' },
    ],
    ['a ReplicationController', root(workload('ReplicationController', FULL)), { ready: 'met', available: 'met' }],
    ['a StatefulSet', root(workload('StatefulSet', FULL)), { ready: 'met', available: 'met' }],
    [
      'a StatefulSet with an old Pod',
      root(workload('StatefulSet', { ...FULL, updatedReplicas: 2 })),
      { ready: 'pending', available: 'met' },
    ],
    [
      'a StatefulSet that replaces no Pods',
      root(workload('StatefulSet', { ...FULL, updatedReplicas: 0 }, { updateStrategy: { type: 'OnDelete' } })),
      { ready: 'met' },
    ],
    ['a DaemonSet', root(workload('DaemonSet', ALL_SCHEDULED)), { ready: 'met', available: 'met' }],
    [
      'a DaemonSet that is not available',
      root(workload('DaemonSet', { ...ALL_SCHEDULED, numberAvailable: 0 })),
      { ready: 'pending', available: 'pending' },
    ],
    ['a CronJob', root(workload('CronJob')), { ready: 'met', available: 'met' }],
    [
      'a new Job',
      root(workload('Job')),
      { ready: 'pending', complete: 'pending', succeeded: 'pending', failed: 'pending', Complete: 'pending' },
    ],
    [
      'a Job with Ready Pods',
      root(workload('Job', { active: 2, ready: 2 })),
      { ready: 'met', available: 'met', complete: 'pending' },
    ],
    ['a Job with one Ready Pod of two', root(workload('Job', { active: 2, ready: 1 })), { ready: 'pending' }],
    [
      'a Job that is Complete',
      complete,
      { ready: 'met', complete: 'met', failed: 'impossible', Suspended: 'impossible' },
    ],
    ['a Job that has Failed', failed, { ready: 'impossible', complete: 'impossible', failed: 'met' }],
    [
      'a Job that will fail as soon as its Pods have ended',
      root(workload('Job', { active: 1, ready: 1, conditions: [condition('FailureTarget')] })),
      { complete: 'impossible', failed: 'pending' },
    ],
    ['a Job that was removed when it was Complete', { ...complete, isGone: true }, { complete: 'met' }],
    ['a Job that was removed', root(workload('Job'), [], true), { complete: 'impossible' }],
    [
      'a Job without a program for its image',
      root(workload('Job', { active: 1 }), [noImage]),
      { complete: 'impossible', ready: 'impossible', failed: 'pending' },
    ],
    ['a Pod', podRoot(webPod()), { ready: 'met', available: 'met', succeeded: 'pending', PodScheduled: 'met' }],
  ])('%s', (_, subject, states) => {
    const seen = Object.fromEntries(Object.keys(states).map((text) => [text, rootGoalState(goal(text), subject)]));
    expect(seen).toEqual(states);
  });
});

it('passes over the kinds that cannot reach the goal', () => {
  const kinds = ['Pod', 'Job', 'CronJob', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'] as const;
  const lookedAt = (text: string): string => kinds.filter((kind) => isLookedAt(goal(text), kind)).join(' ');
  expect(lookedAt('ready')).toBe(kinds.join(' '));
  expect(lookedAt('Available')).toBe(kinds.join(' '));
  expect(lookedAt('complete')).toBe('Pod Job');
  expect(lookedAt('Failed')).toBe('Pod Job');
  expect(lookedAt('Progressing')).toBe('Pod Job Deployment ReplicaSet');
  expect(lookedAt('Ready=False')).toBe('Pod');
  expect(lookedAt('ContainersReady')).toBe('Pod');
});

it('counts a Pod as available when it is Ready', () => {
  expect(podGoal(goal('Available'))).toEqual(goal('Ready'));
  expect(podGoal(goal('Available=False'))).toEqual(goal('Available=False'));
});
