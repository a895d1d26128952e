import { expect, it } from 'vitest';
import { WorkloadLoop } from '../../src/workloads/workload-loop.ts';
import type { KubeObject, StoredEvent, StoredPod, WatchEvent } from '../../src/api/base/objects.ts';
import type { Workload } from '../../src/api/workloads/stored-workloads.ts';
import { withoutGrace } from '../../src/lifecycle/requests/deletion.ts';
import { conflict } from '../../src/store/base/store-errors.ts';
import { newDeployment } from '../controllers/manifests.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../src/simulation/memory-store.ts';
import { newEvent, newPod, withPhase } from '../store/objects.ts';

interface Watched {
  readonly store: MemoryStore;
  readonly clock: ManualClock;
  readonly loop: WorkloadLoop;
  /** The uid of the ReplicaSet `web`, which another agent has. */
  readonly ownerUid: string;
  /** Stores a Pod of the ReplicaSet. */
  readonly createPod: (name: string) => StoredPod;
}

/** The loop of an agent that runs the Pod `own` and no controller. */
function watched(listeners: {
  readonly onEvent?: (event: WatchEvent<StoredEvent>) => void;
  readonly onTurn?: (loop: WorkloadLoop) => void;
}): Watched {
  const clock = new ManualClock();
  const store = new MemoryStore(clock);
  const unexpected = (): never => {
    throw new Error('this agent has no controller');
  };
  const loop: WorkloadLoop = new WorkloadLoop({
    store,
    clock,
    nodes: () => [{ name: 'node-1', labels: {}, taints: [], allocatable: {}, hostIPs: ['127.0.0.1'] }],
    timeZone: () => 'UTC',
    suffix: unexpected,
    newUid: unexpected,
    startPod: unexpected,
    // The other agent writes at the same moment: this one knows an older state.
    deletePod: ({ metadata }) => {
      throw conflict('pods', metadata.name);
    },
    claim: () => undefined,
    runsPod: (uid) => uid === 'own-uid',
    onObject: () => undefined,
    onEvent: (event) => listeners.onEvent?.(event),
    onTurn: () => listeners.onTurn?.(loop),
    onTrouble: (error) => {
      throw error;
    },
  });
  const owner = store.create('replicasets', { ...(newDeployment() as KubeObject), kind: 'ReplicaSet' });
  const { kind, apiVersion, metadata } = owner;
  const ownerUid = metadata.uid ?? '';
  const createPod = (name: string): StoredPod => {
    const pod = withPhase(newPod(name), 'Running');
    const ownerReferences = [{ apiVersion, kind, name: metadata.name ?? '', uid: ownerUid, controller: true }];
    return store.create('pods', { ...pod, metadata: { ...pod.metadata, uid: `${name}-uid`, ownerReferences } });
  };
  return { store, clock, loop, ownerUid, createPod };
}

it('a run tells the Events that another agent records about the owner of one of its Pods', () => {
  const told: string[] = [];
  const { store, loop, ownerUid, createPod } = watched({ onEvent: ({ object }) => told.push(object.message ?? '') });
  const about = (kind: string, uid: string, message: string): StoredEvent => {
    const event = newEvent(message, message, message);
    return { ...event, involvedObject: { ...event.involvedObject, kind, uid } };
  };
  loop.follow(createPod('own'));
  for (const [of, uid] of [
    ['ReplicaSet', ownerUid],
    ['Pod', 'own-uid'],
    ['ReplicaSet', 'of-another-run'],
  ] as const) {
    store.create('events', about(of, uid, `about ${uid}`));
  }
  expect(told).toEqual([`about ${ownerUid}`]);
  loop.close();
});

it('a run is over when another agent has removed the last Pod of it, not when that Pod has ended', async () => {
  const over: boolean[] = [];
  const { store, clock, loop, createPod } = watched({ onTurn: ({ isOver }) => over.push(isOver) });
  const foreign = createPod('foreign');
  loop.follow(createPod('own'));
  store.delete('pods', 'default', 'own');
  store.delete('replicasets', 'default', 'web');
  store.change<StoredPod>('pods', foreign.metadata, 'object', (pod) => withoutGrace(pod, clock.now().wallMs));
  store.change<StoredPod>('pods', foreign.metadata, 'status', (pod) => withPhase(pod, 'Succeeded'));
  await clock.run(100);
  expect(over.length).toBeGreaterThan(0);
  expect(over).not.toContain(true);
  store.delete('pods', 'default', 'foreign');
  await clock.run(100);
  expect(over.at(-1)).toBe(true);
  loop.close();
});

it('a run is over when a client has deleted its workload just before', async () => {
  const { store, clock, loop } = watched({});
  const workload = store.create('deployments', newDeployment()) as unknown as Workload;
  store.delete('deployments', 'default', 'web');
  let isReleased = false;
  loop.add(workload, () => {
    isReleased = true;
  });
  await clock.run(100);
  expect([isReleased, loop.isOver]).toEqual([true, true]);
  loop.close();
});
