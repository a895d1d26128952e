import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { reviveAgents } from '../../../src/engine/background/revive-agents.ts';
import { BackgroundAgents } from '../../../src/store/owners/background-agents.ts';
import type { ProcessLookup } from '../../../src/store/disk/known-process.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';
import { temporaryFolder } from '../../store/temporary-store.ts';

it('an agent that was killed and still exists is waited for, then another takes its place', async () => {
  const [root, clock] = [temporaryFolder(), new ManualClock()];
  let agent: 'runs' | 'ends' | 'is gone' = 'runs';
  const processes: ProcessLookup = {
    startTimeOf: () => (agent === 'is gone' ? undefined : '1'),
    isEnding: () => agent === 'ends',
    bootId: () => 'boot',
  };
  const agents = new BackgroundAgents(root, processes);
  const id = agents.create({}, {});
  agents.markReady(id);
  // An agent without settings has nothing to begin with: the one who takes its place only removes it.
  rmSync(agents.paths(id).settings);
  const revived = async (): Promise<string[]> => {
    await reviveAgents({ root, processes, clock, podrun: ['false'], note: () => undefined });
    return agents.list();
  };
  expect(await revived()).toEqual([id]);
  agent = 'ends';
  const awaited = revived();
  await clock.run(1000);
  expect(agents.list()).toEqual([id]);
  agent = 'is gone';
  await clock.run(1000);
  expect(await awaited).toEqual([]);
});
