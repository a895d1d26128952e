import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadText } from '../manifest/load-text.ts';
import { INVARIANTS } from './invariants/index.ts';
import { live, PODS } from './pods.ts';
import { arbitraryScenario } from './scenario/arbitrary-scenario.ts';
import type { Scenario } from './scenario/scenario.ts';
import { Search } from './search.ts';

// The same seeds each time: a failure here is a failure everywhere. `npm run test:slow` tries 2000, and
// `npm run simulate` others.
const FIRST_SEED = 1;
const SEEDS = Number(process.env['PODRUN_SEEDS'] ?? 100);

describe('random Pods in a random world', () => {
  it(`keep all ${Object.keys(INVARIANTS).length} invariants with the seeds ${FIRST_SEED} to ${SEEDS}`, async () => {
    const search = new Search(PODS);
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
      expect((await search.trySeed(seed))?.report).toBeUndefined();
    }
  });

  it('are Pods that the API server takes', async () => {
    for (const { spec } of scenarios(100)) {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec };
      const { errors } = await loadText(JSON.stringify(pod));
      expect(errors).toEqual([]);
    }
  });

  it('do the same each time', async () => {
    for (const scenario of scenarios(20)) {
      expect(JSON.stringify(await live(scenario))).toBe(JSON.stringify(await live(scenario)));
    }
  });

  it('do not depend on the wall clock', async () => {
    for (const scenario of scenarios(20)) {
      const withJumps = (byMs: number): Scenario => {
        const jumps = [500, 2000, 30_000].map((atMs) => ({ atMs, does: 'jumpClock' as const, byMs }));
        const others = scenario.happenings.filter(({ does }) => does !== 'jumpClock');
        return { ...scenario, happenings: [...others, ...jumps].toSorted((a, b) => a.atMs - b.atMs) };
      };
      const steady = await deedsOf(withJumps(0));
      expect(await deedsOf(withJumps(3_600_000))).toEqual(steady);
      expect(await deedsOf(withJumps(-3_600_000))).toEqual(steady);
    }
  });
});

function scenarios(count: number): Scenario[] {
  return fc.sample(arbitraryScenario, { seed: FIRST_SEED, numRuns: count });
}

/** The actions on processes with their times. */
async function deedsOf(scenario: Scenario): Promise<string> {
  const { entries } = await live(scenario);
  return JSON.stringify(entries.flatMap((entry) => (entry.type === 'machine' ? [entry.entry] : [])));
}
