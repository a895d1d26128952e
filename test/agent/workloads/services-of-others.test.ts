import { expect, it } from 'vitest';
import type { StoredService } from '../../../src/api/objects.ts';
import { WorkloadLoop } from '../../../src/agent/workloads/workload-loop.ts';
import { ManualClock } from '../../simulation/manual-clock.ts';
import { MemoryStore } from '../../simulation/memory-store.ts';

const metadata = { name: 'web', namespace: 'default', uid: '1', resourceVersion: '', creationTimestamp: '' };
const WEB = { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: 'None' } };

it('a Service that another agent gives up is served from then on', async () => {
  const clock = new ManualClock(0);
  const store = new MemoryStore(clock);
  let isForeign = true;
  let ownerChanged = (_name: string): void => undefined;
  const shown: string[] = [];
  const loop = new WorkloadLoop({
    store,
    clock,
    node: () => ({ name: 'node-1', labels: {}, taints: [], allocatable: {}, hostIPs: ['127.0.0.1'] }),
    timeZone: 'UTC',
    suffix: () => 'abcde',
    newUid: () => 'made',
    claim: () => (isForeign ? undefined : () => undefined),
    watchServiceOwners: (_, onChange) => {
      ownerChanged = onChange;
      return { close: () => undefined };
    },
    services: {
      show: (services: readonly StoredService[]) => shown.push(services.map((one) => one.metadata.name).join()),
      close: () => undefined,
    },
    runsPod: () => false,
    startPod: () => undefined,
    deletePod: () => undefined,
    onObject: () => undefined,
    onEvent: () => undefined,
    onTurn: () => undefined,
    onTrouble: (error) => {
      throw error;
    },
  });
  store.create('services', WEB);
  loop.followServices('default');
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
