import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { reviveAgents } from '../../../src/engine/background/start-agent.ts';
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

it('an agent that cannot be started is left to the next process', async () => {
  const [root, clock] = [temporaryFolder(), new ManualClock()];
  let startTime = 'of the agent';
  const processes: ProcessLookup = { startTimeOf: () => startTime, bootId: () => 'boot' };
  const agents = new BackgroundAgents(root, processes);
  const id = agents.create({ hostEnv: {} }, {});
  agents.markReady(id);
  // This process has the pid of the agent, which is gone.
  startTime = 'of this process';
  const reviving = reviveAgents({ root, processes, clock, podrun: ['false'], note: () => undefined });
  await expect(reviving).rejects.toThrow('the background agent');
  expect(agents.processOf(id)).toMatchObject({ startTime: 'of the agent' });
});
