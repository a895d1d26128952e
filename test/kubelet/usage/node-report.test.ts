import { expect, it } from 'vitest';
import { nodeRecord, setCordoned } from '../../../src/settings/config/node-record.ts';
import { NodeReport } from '../../../src/kubelet/usage/node-report.ts';
import type { StoredEvent } from '../../../src/api/base/objects.ts';
import { pressureIn } from '../../../src/lifecycle/node/node-conditions.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';
import { openStore, temporaryFolder } from '../../store/temporary-store.ts';

it('pressure is a condition of the node and an event of each change; a cordon is kept beside it', () => {
  const clock = new ManualClock();
  const store = openStore(temporaryFolder(), clock);
  const events: StoredEvent[] = [];
  const report = new NodeReport({ store, clock, nodeName: 'n', onEvent: ({ object }) => events.push(object) });
  const lacked = (): string[] => pressureIn(nodeRecord(store, 'n')?.status?.conditions ?? []);

  report.pressure({ conditions: [], isChanged: false, reclaims: undefined });
  expect(nodeRecord(store, 'n')).toBeUndefined();
  report.pressure({ conditions: ['MemoryPressure'], isChanged: true, reclaims: 'memory' });
  expect(lacked()).toEqual(['MemoryPressure']);
  setCordoned(store, clock, 'n', true);
  report.pressure({ conditions: ['MemoryPressure'], isChanged: false, reclaims: 'memory' });
  report.pressure({ conditions: [], isChanged: true, reclaims: undefined });
  expect([lacked(), nodeRecord(store, 'n')?.spec?.unschedulable]).toEqual([[], true]);
  expect(events.map(({ reason, message, count, source }) => [reason, message, count, source?.host])).toEqual([
    ['NodeHasInsufficientMemory', 'Node n status is now: NodeHasInsufficientMemory', 1, 'n'],
    ['EvictionThresholdMet', 'Attempting to reclaim memory', 1, 'n'],
    ['EvictionThresholdMet', 'Attempting to reclaim memory', 2, 'n'],
    ['NodeHasSufficientMemory', 'Node n status is now: NodeHasSufficientMemory', 1, 'n'],
  ]);
  expect(events[0]?.involvedObject).toEqual({ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n' });
});
