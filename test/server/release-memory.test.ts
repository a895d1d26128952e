import { getHeapStatistics } from 'node:v8';
import { expect, it } from 'vitest';
import { releaseMemory } from '../../src/server/release-memory.ts';
import { nextEventLoopTurn } from '../../src/clock.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

const OBJECTS = 500_000;
/** The turns of the event loop in which V8 carries a collection out: by itself, it waits for seconds. */
const TURNS = 10;

it('an idle server gives back the memory of what it has dropped', async ({ onTestFinished }) => {
  const stored = Array.from({ length: OBJECTS }, (_, index) => ({ name: `object ${index}` }));
  const clock = new ManualClock();
  const memory = releaseMemory(clock);
  onTestFinished(() => memory.close());
  const held = (): number => getHeapStatistics().total_physical_size;
  const before = held();
  stored.length = 0;
  clock.advance(10_000);
  for (let turn = 0; turn < TURNS; turn++) await new Promise<void>(nextEventLoopTurn);
  expect(held()).toBeLessThan(before - 20 * 1024 * 1024);
});
