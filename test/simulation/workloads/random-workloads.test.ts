import { describe, expect, it } from 'vitest';
import { loadText } from '../../manifest/load-text.ts';
import { Search } from '../search.ts';
import { WORKLOAD_INVARIANTS } from './invariants/index.ts';
import { WORKLOADS } from './workloads.ts';

// The same seeds each time: a failure here is a failure everywhere. `npm run test:slow` tries 2000, and
// `npm run simulate -- workloads` others.
const SEEDS = Number(process.env['PODRUN_SEEDS'] ?? 100);
/** A scenario whose first Pod is rejected. */
const REJECTED_SEED = 1;
const search = new Search(WORKLOADS);

describe('random workloads with agents that die', () => {
  it(`keep all ${Object.keys(WORKLOAD_INVARIANTS).length} invariants with the seeds 1 to ${SEEDS}`, async () => {
    for (let seed = 1; seed <= SEEDS; seed++) expect((await search.trySeed(seed))?.report).toBeUndefined();
  });

  it('are workloads that the API server takes', async () => {
    for (let seed = 1; seed <= 100; seed++) {
      const { errors } = await loadText(JSON.stringify(search.scenarioOf(seed).object));
      expect(errors).toEqual([]);
    }
  });

  it('have Pods that end in the turn in which they begin', async () => {
    const life = await WORKLOADS.live(search.scenarioOf(REJECTED_SEED));
    expect(JSON.stringify(life)).toContain('PodOSSelectorNodeLabelDoesNotMatch');
  });

  it('do the same each time', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const lives = [await WORKLOADS.live(search.scenarioOf(seed)), await WORKLOADS.live(search.scenarioOf(seed))];
      expect(JSON.stringify(lives[1])).toBe(JSON.stringify(lives[0]));
    }
  });
});
