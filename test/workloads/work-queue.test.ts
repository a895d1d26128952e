import { expect, it } from 'vitest';
import { WorkQueue } from '../../src/workloads/work-queue.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

/** The writes after which other work comes first. */
const MANY_WRITES = 10;

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

it('a change is looked at after the turn of other work, when controllers have written much', async () => {
  const clock = new ManualClock();
  let turns = 0;
  const queue: WorkQueue = new WorkQueue({
    clock,
    onTurn: () => {
      turns += 1;
      queue.takeAll();
      queue.wrote(turns > 3 ? 0 : MANY_WRITES);
      // A Pod that the turn has made starts: a change, after the turn.
      void Promise.resolve().then(() => turns < 3 && queue.add('replica-set'));
    },
  });
  queue.add('replica-set');
  for (let microtasks = 0; microtasks < 20; microtasks++) await Promise.resolve();
  expect(turns).toBe(1);
  await clock.run();
  expect(turns).toBe(3);
});

it('what a turn has left comes first in the next one', async () => {
  const clock = new ManualClock();
  const turns: string[][] = [];
  const queue: WorkQueue = new WorkQueue({
    clock,
    onTurn: () => {
      const due = queue.takeAll();
      turns.push(due);
      if (turns.length > 1) return;
      queue.wrote(MANY_WRITES);
      queue.add('first');
      expect(queue.isTired).toBe(true);
      queue.putBack(due.slice(1));
    },
  });
  for (const uid of ['first', 'second', 'third']) queue.add(uid);
  await clock.run();
  expect(turns).toEqual([
    ['first', 'second', 'third'],
    ['second', 'third', 'first'],
  ]);
});
