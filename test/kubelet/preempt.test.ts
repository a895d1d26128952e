import { expect, it, onTestFinished, vi } from 'vitest';
import type { StoredPod } from '../../src/api/index.ts';
import { preemptVictims } from '../../src/kubelet/preempt.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { newPod } from '../store/objects.ts';
import { openStore, temporaryFolder } from '../store/temporary-store.ts';
import { PATIENT } from '../patience.ts';
import { onDefect } from '../../src/defects.ts';

it('Pods of lower priority wait no more for the node where a Pod has cleared room for itself', async () => {
  const clock = new ManualClock();
  const store = openStore(temporaryFolder(), clock);
  const created = (name: string, priority: number, nominatedNodeName?: string): StoredPod => {
    const pod = newPod(name);
    const status = { ...pod.status, ...(nominatedNodeName && { nominatedNodeName }) };
    return store.create('pods', { ...pod, spec: { ...pod.spec, priority }, status });
  };
  const victim = created('victim', 0);
  const nominated = [created('lower', 1, 'node-1'), created('same', 5, 'node-1'), created('elsewhere', 1, 'node-2')];
  preemptVictims([victim], created('high', 5), {
    store,
    clock,
    nodeName: 'node-1',
    nominated,
    waits: () => undefined,
    deletePod: () => undefined,
    onEvent: () => undefined,
    onTrouble: (error) => expect(error).toBe(undefined),
  });
  const nodesOf = nominated.map(
    ({ metadata }) => store.get<StoredPod>('pods', 'default', metadata.name)?.status.nominatedNodeName,
  );
  expect(nodesOf).toEqual([undefined, 'node-1', 'node-2']);
  await vi.waitFor(
    () =>
      expect(store.get<StoredPod>('pods', 'default', 'victim')?.status.conditions).toMatchObject([
        { type: 'DisruptionTarget', reason: 'PreemptionByScheduler' },
      ]),
    PATIENT,
  );
});

it('a Pod that has gone meanwhile is trouble, and a mistake of podrun itself is a defect', () => {
  const clock = new ManualClock();
  const store = openStore(temporaryFolder(), clock);
  const defects: unknown[] = [];
  const former = onDefect((told) => void defects.push(told));
  onTestFinished(() => void onDefect(former));
  const troubles: string[] = [];
  const preempt = (): void =>
    preemptVictims([newPod('victim')], newPod('high'), {
      store,
      clock,
      nodeName: 'node-1',
      nominated: [],
      waits: () => undefined,
      deletePod: () => undefined,
      onEvent: () => undefined,
      onTrouble: ({ message }) => troubles.push(message),
    });
  preempt();
  expect(troubles).toContain('pods "victim" not found');
  expect(defects).toEqual([]);
  const defect = new TypeError('x is not a function');
  vi.spyOn(store, 'change').mockImplementation(() => {
    throw defect;
  });
  preempt();
  expect(troubles).not.toContain(defect.message);
  expect(defects).toEqual([defect]);
});
