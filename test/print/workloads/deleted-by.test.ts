import { expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import type { Workload } from '../../../src/api/workloads/stored-workloads.ts';
import { deletedBy } from '../../../src/print/workloads/deleted-by.ts';
import { condition, workload } from '../../controllers/goals/roots.ts';
import { webPod } from '../pods.ts';

const ownedBy = (uid: string): object => ({
  ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid, controller: true }],
});
const pod = (name = 'web-0', labels = {}): StoredPod => webPod({ metadata: { name, labels, ...ownedBy('w-1') } });
const REVISION = 'deployment.kubernetes.io/revision';
const replicaSet = (revision: string, status = {}): Workload =>
  workload('ReplicaSet', status, {}, { ...ownedBy('w-2'), annotations: { [REVISION]: revision } });
const deployment = (change = {}): Workload =>
  workload('Deployment', {}, {}, { uid: 'w-2', annotations: { [REVISION]: '2' }, ...change });
const set = workload('StatefulSet', { updateRevision: 'web-2' });

it.each<[string, StoredPod, Workload[], string | undefined]>([
  ['a Pod of an old revision', pod(), [replicaSet('1'), deployment()], 'the rollout'],
  ['a Pod too many', pod(), [replicaSet('2', { replicas: 4 }), deployment()], 'scaling down'],
  ['a Pod that a user deletes', pod(), [replicaSet('2', { replicas: 3 }), deployment()], undefined],
  [
    'a Pod that goes with its Deployment',
    pod(),
    [replicaSet('2'), deployment({ deletionTimestamp: '2026-01-15T12:00:00Z' })],
    'the deletion of deployment web',
  ],
  ['a Pod beyond the replicas', pod('web-3'), [set], 'scaling down'],
  ['an old Pod of a StatefulSet', pod('web-2', { 'controller-revision-hash': 'web-1' }), [set], 'the rollout'],
  ['a new Pod of a StatefulSet', pod('web-2', { 'controller-revision-hash': 'web-2' }), [set], undefined],
  ['a Pod of a Job that fails', pod(), [workload('Job', { conditions: [condition('FailureTarget')] })], 'its Job'],
  ['a Pod of a Job at work', pod(), [workload('Job')], undefined],
  ['a Pod without owner', webPod(), [], undefined],
])('%s is deleted by: %s', (_, gone, workloads, cause) => {
  const find = (uid: string): { object: Workload; isGone: boolean } | undefined => {
    const object = workloads.find(({ metadata }) => metadata.uid === uid);
    return object && { object, isGone: false };
  };
  expect(deletedBy(gone, find)).toBe(cause);
});
