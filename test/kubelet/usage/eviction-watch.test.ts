import { expect, it } from 'vitest';
import { EvictionWatch } from '../../../src/kubelet/usage/eviction-watch.ts';
import type { NodeReadings, PodUse } from '../../../src/lifecycle/node/eviction.ts';
import { podWith } from '../../lifecycle/base-objects.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';

const MI = 2 ** 20;

it('looks every ten seconds, and evicts one Pod at a time until there is enough', async () => {
  const clock = new ManualClock();
  const running = new Map(['small', 'large', 'middle'].map((name) => [name, podWith({}, { name, uid: name })]));
  const used: Record<string, number> = { small: 10, large: 500, middle: 100 };
  const seen: string[] = [];
  const read = (): NodeReadings => {
    const taken = [...running.keys()].reduce((sum, name) => sum + (used[name] ?? 0), 0);
    const reading = { available: (600 - taken) * MI, capacity: 1000 * MI };
    return { 'memory.available': reading, 'nodefs.available': reading };
  };
  const watch = new EvictionWatch({
    settings: { thresholds: [{ signal: 'memory.available', least: { quantity: '550Mi' } }], maxPodGraceSeconds: 0 },
    clock,
    pods: () => [...running.values()],
    readings: read,
    measure: (_resource, pods): Promise<PodUse[]> =>
      Promise.resolve(
        pods.map((pod) => ({ pod, byContainer: new Map([['main', (used[pod.metadata.name] ?? 0) * MI]]) })),
      ),
    evict: ({ metadata }) => {
      running.delete(metadata.name);
      seen.push(`${clock.now().monotonicMs} ${metadata.name}`);
    },
    report: ({ conditions, isChanged, reclaims }) => {
      if (isChanged) seen.push(`${clock.now().monotonicMs} ${conditions.join() || 'none'} ${reclaims ?? ''}`);
    },
  });
  await clock.run(60_000);
  expect(seen).toEqual(['10000 MemoryPressure memory', '10000 large', '20000 middle']);
  watch.close();
  expect(seen.at(-1)).toBe('60000 none ');
  expect(clock.alarmCount).toBe(0);
});
