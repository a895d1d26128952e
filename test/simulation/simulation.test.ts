import { expect, it } from 'vitest';
import { INVARIANTS } from './invariants/index.ts';
import { reportOf } from './report.ts';
import { trySeed } from './search.ts';

const FIRST_SEED = 1;
const SEEDS = 2000;

/** Random Pods in random worlds. The same seeds each time: what fails here fails everywhere. */
it(`${Object.keys(INVARIANTS).length} invariants hold for the seeds ${FIRST_SEED} to ${SEEDS}`, async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const failure = await trySeed(seed);
    expect(failure && reportOf(failure)).toBeUndefined();
  }
}, 120_000);
