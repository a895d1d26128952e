import { expect, it } from 'vitest';
import { WorkQueue } from '../../../src/agent/workloads/work-queue.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';

it('a change from outside is looked at before the next one, also while a stage waits for its turn', async () => {
  const clock = new ManualClock();
  const turns: string[][] = [];
  const queue: WorkQueue = new WorkQueue({
    clock,
    onTurn: () => {
      turns.push(queue.takeAll());
      if (turns.length === 1) queue.add('deployment');
    },
  });
  queue.add('first-pod');
  await Promise.resolve();
  // No timer can ring between two messages of one poll of the event loop.
  queue.add('second-pod');
  await Promise.resolve();
  queue.add('third-pod');
  await clock.run();
  expect(turns).toEqual([['first-pod'], ['deployment', 'second-pod'], ['third-pod']]);
});
