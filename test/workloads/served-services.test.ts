import { expect, it } from 'vitest';
import type { StoredService } from '../../src/api/base/objects.ts';
import { WorkloadLoop, type WorkloadLoopOptions } from '../../src/workloads/workload-loop.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../src/simulation/memory-store.ts';

const metadata = { name: 'web', namespace: 'default', uid: '1', resourceVersion: '', creationTimestamp: '' };
const WEB = { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: 'None', selector: { app: 'web' } } };

/** A loop that looks after a Service of its namespace. */
function loopWith(options: Partial<WorkloadLoopOptions>): {
  readonly loop: WorkloadLoop;
  readonly clock: ManualClock;
  readonly store: MemoryStore;
} {
  const clock = new ManualClock(0);
  const store = new MemoryStore(clock);
  const loop = new WorkloadLoop({
    store,
    clock,
    nodes: () => [{ name: 'node-1', labels: {}, taints: [], allocatable: {}, hostIPs: ['127.0.0.1'] }],
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
  return { loop, clock, store };
}

it('no proxy serves the Service of the DNS server: it has no selector', async () => {
  const shown: string[] = [];
  const { clock, store } = loopWith({
    services: {
      show: async (services: readonly StoredService[]) => {
        shown.push(services.map((one) => one.metadata.name).join());
      },
      close: () => undefined,
    },
  });
  const dns = { ...WEB, metadata: { ...metadata, name: 'dns', uid: '2' }, spec: { clusterIP: '10.96.0.10' } };
  store.create('services', dns);
  await clock.run(1000);
  expect(shown.at(-1)).toBe('web');
});

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

it('a run takes up the Services that it names, that have a Pod here, that need none, or that come meanwhile', () => {
  const taken: string[] = [];
  const { loop, store } = loopWith({
    namesService: ({ name }) => name === 'named',
    runsPod: (uid) => uid === 'here',
    claim: ({ metadata: { name } }) => {
      taken.push(name);
      return () => undefined;
    },
  });
  const named = (name: string): object => ({ ...metadata, namespace: 'shop', name, uid: name, labels: { app: name } });
  const putService = (name: string, spec: object = { selector: { app: name } }): void => {
    store.create('services', { ...WEB, metadata: named(name), spec } as never);
  };
  for (const name of ['named', 'left', 'elsewhere', 'here']) putService(name);
  putService('external', {});
  for (const name of ['elsewhere', 'here']) {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: named(name), spec: { containers: [] }, status: {} };
    store.create('pods', pod as never);
  }
  loop.followServices('shop');
  expect(taken.toSorted()).toEqual(['external', 'here', 'named']);
  putService('later');
  expect(taken.at(-1)).toBe('later');
});
