import { expect, it } from 'vitest';
import { WorkloadLoop } from '../../../src/agent/workloads/workload-loop.ts';
import type { KubeObject, StoredEvent, StoredPod } from '../../../src/api/objects.ts';
import { newDeployment } from '../../controllers/manifests.ts';
import { ManualClock } from '../../simulation/manual-clock.ts';
import { MemoryStore } from '../../simulation/memory-store.ts';
import { newEvent, newPod } from '../../store/objects.ts';

it('a run tells the Events that another agent records about the owner of one of its Pods', () => {
  const clock = new ManualClock();
  const store = new MemoryStore(clock);
  const told: string[] = [];
  const unexpected = (): never => {
    throw new Error('this agent has no controller');
  };
  const loop = new WorkloadLoop({
    store,
    clock,
    node: { name: 'node-1', labels: {}, taints: [], allocatable: {}, hostIPs: ['127.0.0.1'] },
    timeZone: 'UTC',
    suffix: unexpected,
    newUid: unexpected,
    startPod: unexpected,
    deletePod: unexpected,
    claim: () => undefined,
    runsPod: (uid) => uid === 'own-uid',
    onObject: () => undefined,
    onEvent: ({ object }) => told.push(object.message ?? ''),
    onTurn: () => undefined,
    onTrouble: unexpected,
  });
  const about = (kind: string, uid: string, message: string): StoredEvent => {
    const event = newEvent(message, message, message);
    return { ...event, involvedObject: { ...event.involvedObject, kind, uid } };
  };
  const owner = store.create('replicasets', { ...(newDeployment() as KubeObject), kind: 'ReplicaSet' });
  const { kind, apiVersion, metadata } = owner;
  const pod = newPod('own');
  const reference = { apiVersion, kind, name: metadata.name ?? '', uid: metadata.uid ?? '', controller: true };
  loop.follow(
    store.create<StoredPod>('pods', {
      ...pod,
      metadata: { ...pod.metadata, uid: 'own-uid', ownerReferences: [reference] },
    }),
  );
  for (const [of, uid] of [
    ['ReplicaSet', metadata.uid ?? ''],
    ['Pod', 'own-uid'],
    ['ReplicaSet', 'of-another-run'],
  ] as const) {
    store.create('events', about(of, uid, `about ${uid}`));
  }
  expect(told).toEqual([`about ${metadata.uid}`]);
  loop.close();
});
