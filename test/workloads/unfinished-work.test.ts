import { expect, it } from 'vitest';
import type { KubeObject, StoredPod } from '../../src/api/base/objects.ts';
import type { Clock } from '../../src/clock.ts';
import { formatTime } from '../../src/api/base/time.ts';
import type { StoredJob, StoredReplicaSet } from '../../src/api/workloads/stored-workloads.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../src/simulation/memory-store.ts';
import { WorkloadLoop } from '../../src/workloads/workload-loop.ts';
import { newJob } from '../controllers/manifests.ts';

const DAY_MS = 24 * 3_600_000;

/** A loop that takes a second to make a Pod, and to delete one. */
function slowLoop() {
  const manual = new ManualClock();
  const count = { writes: 0, looks: 0, names: 0 };
  const clock: Clock = {
    now: () => {
      const { wallMs, monotonicMs } = manual.now();
      return { wallMs: wallMs + count.writes * 1000, monotonicMs: monotonicMs + count.writes * 1000 };
    },
    wakeAt: (atMs, run) => manual.wakeAt(atMs, run),
  };
  const store = new MemoryStore(clock);
  const loop = new WorkloadLoop({
    store,
    clock,
    nodes: () => {
      count.looks += 1;
      return [{ name: 'node-1', labels: {}, taints: [], allocatable: {}, hostIPs: ['127.0.0.1'] }];
    },
    timeZone: () => 'UTC',
    suffix: () => `p${++count.names}`,
    newUid: () => `uid-${++count.names}`,
    startPod: (pod: KubeObject) => {
      count.writes += 1;
      return store.create('pods', { ...pod, status: { phase: 'Pending' } } as unknown as StoredPod);
    },
    deletePod: ({ metadata: { namespace, name } }) => {
      count.writes += 1;
      store.delete('pods', namespace, name);
    },
    claim: () => () => undefined,
    runsPod: () => false,
    onObject: () => undefined,
    onEvent: () => undefined,
    onTurn: () => undefined,
    onTrouble: (error) => {
      throw error;
    },
  });
  return { loop, store, clock, count, run: () => manual.run(DAY_MS) };
}

it('a Job begins with its first Pod, however long it takes to make all of them', async () => {
  const { loop, store, clock, count, run } = slowLoop();
  const begun = formatTime(clock.now().wallMs);
  const job = store.create<StoredJob>('jobs', newJob({ parallelism: 4, completions: 4 }) as StoredJob);
  loop.add(job, () => undefined);
  await run();
  expect(count.writes).toBe(4);
  expect(store.get<StoredJob>('jobs', 'default', job.metadata.name ?? '')?.status?.startTime).toBe(begun);
  loop.close();
});

it('a controller looks at its Pods once for a sync of many parts, not for each part', async () => {
  const { loop, store, count, run } = slowLoop();
  const labels = { app: 'wide' };
  const set = store.create<StoredReplicaSet>('replicasets', {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'wide', namespace: 'default', uid: 'wide' },
    spec: {
      replicas: 100,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [] } },
    },
  } as unknown as StoredReplicaSet);
  const looksAt = async (replicas: number): Promise<number> => {
    const before = count.looks;
    store.change<StoredReplicaSet>('replicasets', set.metadata, 'object', (stored) => ({
      ...stored,
      spec: { ...stored.spec, replicas },
    }));
    await run();
    expect(store.list('pods')).toHaveLength(replicas);
    return count.looks - before;
  };
  loop.add(set, () => undefined);
  await run();
  expect(count.writes).toBe(100);
  const few = await looksAt(97);
  expect(await looksAt(0)).toBe(few);
  loop.close();
});
