import { expect, it } from 'vitest';
import type { StoredService } from '../../src/api/base/objects.ts';
import { WorkloadLoop, type WorkloadLoopOptions } from '../../src/workloads/workload-loop.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../src/simulation/memory-store.ts';

const metadata = { name: 'web', namespace: 'default', uid: '1', resourceVersion: '', creationTimestamp: '' };
const WEB = { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: 'None' } };

/** A loop that looks after a Service of its namespace. */
function loopWith(options: Pick<WorkloadLoopOptions, 'services'> & Partial<WorkloadLoopOptions>): {
  readonly loop: WorkloadLoop;
  readonly clock: ManualClock;
} {
  const clock = new ManualClock(0);
  const store = new MemoryStore(clock);
  const loop = new WorkloadLoop({
    store,
    clock,
    node: () => ({ name: 'node-1', labels: {}, taints: [], allocatable: {}, hostIPs: ['127.0.0.1'] }),
    timeZone: () => 'UTC',
    suffix: () => 'abcde',
    newUid: () => 'made',
    claim: () => () => undefined,
    runsPod: () => false,
    startPod: (pod) => pod as never,
    deletePod: () => undefined,
    onObject: () => undefined,
    onEvent: () => undefined,
    onTurn: () => undefined,
    onTrouble: (error) => {
      throw error;
    },
    ...options,
  });
  store.create('services', WEB);
  loop.followServices('default');
  return { loop, clock };
}

it('a Service that another agent gives up is served from then on', async () => {
  let isForeign = true;
  let ownerChanged = (_name: string): void => undefined;
  const shown: string[] = [];
  const { clock } = loopWith({
    claim: () => (isForeign ? undefined : () => undefined),
    watchServiceOwners: (_, onChange) => {
      ownerChanged = onChange;
      return { close: () => undefined };
    },
    services: {
      show: async (services: readonly StoredService[]) => {
        shown.push(services.map((one) => one.metadata.name).join());
      },
      close: () => undefined,
    },
  });
  await clock.run(1000);
  expect(shown.at(-1)).toBe('');
  isForeign = false;
  ownerChanged('other');
  await clock.run(1000);
  expect(shown.at(-1)).toBe('');
  ownerChanged('web');
  await clock.run(1000);
  expect(shown.at(-1)).toBe('web');
});

it('Services are current when connections reach the endpoints of the last change', async () => {
  const serving: Array<() => void> = [];
  const seen: boolean[] = [];
  const { loop, clock } = loopWith({
    services: { show: () => new Promise((resolve) => serving.push(resolve)), close: () => undefined },
    onTurn: () => seen.push(loop.areServicesCurrent),
  });
  expect(loop.areServicesCurrent).toBe(false);
  await clock.run(1000);
  expect(serving.length).toBeGreaterThan(0);
  expect(seen).not.toContain(true);
  for (const served of serving) served();
  await clock.run(1000);
  expect(loop.areServicesCurrent).toBe(true);
  expect(seen.at(-1)).toBe(true);
});
