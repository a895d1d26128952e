import { expect, it } from 'vitest';
import type { KubeObject, StoredPod } from '../../src/api/base/objects.ts';
import type { Clock } from '../../src/clock.ts';
import { formatTime } from '../../src/api/base/time.ts';
import type { StoredJob } from '../../src/api/workloads/stored-workloads.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../src/simulation/memory-store.ts';
import { WorkloadLoop } from '../../src/workloads/workload-loop.ts';
import { newJob } from '../controllers/manifests.ts';

it('a Job begins with its first Pod, however long it takes to make all of them', async () => {
  const manual = new ManualClock();
  let made = 0;
  let names = 0;
  /** Each Pod takes a second to make. */
  const clock: Clock = {
    now: () => ({ wallMs: manual.now().wallMs + made * 1000, monotonicMs: manual.now().monotonicMs + made * 1000 }),
    wakeAt: (atMs, run) => manual.wakeAt(atMs, run),
  };
  const store = new MemoryStore(clock);
  const loop = new WorkloadLoop({
    store,
    clock,
    node: () => ({ name: 'node-1', labels: {}, taints: [], allocatable: {}, hostIPs: ['127.0.0.1'] }),
    timeZone: () => 'UTC',
    suffix: () => `p${++names}`,
    newUid: () => `uid-${++names}`,
    startPod: (pod: KubeObject) => {
      made++;
      return store.create('pods', { ...pod, status: { phase: 'Pending' } } as unknown as StoredPod);
    },
    deletePod: () => undefined,
    claim: () => () => undefined,
    runsPod: () => false,
    onObject: () => undefined,
    onEvent: () => undefined,
    onTurn: () => undefined,
    onTrouble: (error) => {
      throw error;
    },
  });
  const begun = formatTime(clock.now().wallMs);
  const job = store.create<StoredJob>('jobs', newJob({ parallelism: 4, completions: 4 }) as StoredJob);
  loop.add(job, () => undefined);
  await manual.run(60_000);
  expect(made).toBe(4);
  expect(store.get<StoredJob>('jobs', 'default', job.metadata.name ?? '')?.status?.startTime).toBe(begun);
  loop.close();
});
