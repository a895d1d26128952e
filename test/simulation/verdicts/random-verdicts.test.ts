import { describe, expect, it } from 'vitest';
import { Search } from '../search.ts';
import { VERDICTS } from './verdicts.ts';

// The same seeds each time: a failure here is a failure everywhere. `npm run simulate -- verdicts` tries others.
const SEEDS = 150;
const search = new Search(VERDICTS);

describe('random runs', () => {
  it(`end with 0 only if all is well, with the seeds 1 to ${SEEDS}`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) expect((await search.trySeed(seed))?.report).toBeUndefined();
  });

  it('end well and badly, before COMMAND and after it', async () => {
    const ends = new Map<string, number>();
    for (let seed = 1; seed <= 100; seed++) {
      const { entries } = await VERDICTS.live(search.scenarioOf(seed));
      const verdict = entries.find((entry) => entry.type === 'verdict');
      const key = `${verdict?.how} ${verdict?.exitCode}`;
      ends.set(key, (ends.get(key) ?? 0) + 1);
    }
    const expected = ['goalMet 0', 'commandEnded 0', 'commandEnded 1', 'goalImpossible 1', 'ended 0'];
    expect(expected.filter((key) => !ends.has(key))).toEqual([]);
  });
});
