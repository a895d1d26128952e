import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/index.ts';
import { UsageSampler } from '../../../src/kubelet/usage/usage-sampler.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';

const pod = (name: string): StoredPod => ({ metadata: { name, namespace: 'default', uid: name } }) as StoredPod;

/** A sampler of the Pod `web`, whose containers the test changes. */
function sampled(): {
  readonly sampler: UsageSampler;
  readonly clock: ManualClock;
  /** Seconds of the processor by container, and the pid of each. */
  readonly seen: Map<string, { cpuSeconds: number; pid: number }>;
  readonly looks: () => number;
} {
  const clock = new ManualClock();
  const seen = new Map([['app', { cpuSeconds: 1, pid: 7 }]]);
  let looks = 0;
  const sampler = new UsageSampler({
    clock,
    intervalMs: 15_000,
    pods: () => [pod('web')],
    containersOf: () =>
      [...seen].map(([containerName, { pid }]) => ({
        id: `web/${containerName}`,
        containerName,
        main: { pid, startTime: 'then' } as never,
      })),
    look: async (containers) => {
      looks += 1;
      return new Map(
        containers.map(({ id }) => [id, { cpuSeconds: seen.get(id.slice(4))?.cpuSeconds ?? 0, memoryBytes: 1024 }]),
      );
    },
  });
  return { sampler, clock, seen, looks: () => looks };
}

describe('a sampler', () => {
  it('gives what was used between two looks, with their time apart', async () => {
    const { sampler, clock, seen } = sampled();
    expect(sampler.of(pod('web'))).toBeUndefined();
    await sampler.current;
    seen.set('app', { cpuSeconds: 4, pid: 7 });
    await clock.run(15_000);
    const use = { cpuMillis: 200, memoryBytes: 1024 };
    expect(sampler.of(pod('web'))).toMatchObject({ windowMs: 15_000, byContainer: new Map([['app', use]]) });
    expect(sampler.samplesOf([pod('web'), pod('other')])).toMatchObject([
      { pod: 'web', containers: [{ name: 'app', usage: { cpu: 200n, memory: 1_024_000n } }] },
    ]);
    sampler.close();
  });

  it.each([
    ['a container has started', (seen: Map<string, object>): void => void seen.set('log', { cpuSeconds: 0, pid: 8 })],
    ['a container was restarted', (seen: Map<string, object>): void => void seen.set('app', { cpuSeconds: 0, pid: 9 })],
  ])('gives nothing of a Pod of which %s since the last look', async (_why, change) => {
    const { sampler, clock, seen } = sampled();
    sampler.ask();
    await clock.run(15_000);
    change(seen);
    await clock.run(15_000);
    expect(sampler.of(pod('web'))).toBeUndefined();
    await clock.run(15_000);
    expect(sampler.of(pod('web'))).toBeDefined();
    sampler.close();
  });

  it('never counts backwards', async () => {
    const { sampler, clock, seen } = sampled();
    sampler.ask();
    await clock.run(1);
    seen.set('app', { cpuSeconds: 0, pid: 7 });
    await clock.run(15_000);
    expect(sampler.of(pod('web'))?.byContainer.get('app')?.cpuMillis).toBe(0);
    sampler.close();
  });

  it('looks at nothing before the first question, and rests when no more come', async () => {
    const { sampler, clock, looks } = sampled();
    await clock.run(60_000);
    expect(looks()).toBe(0);
    sampler.ask();
    await clock.run(3_600_000);
    expect(looks()).toBe(21);
    expect(sampler.of(pod('web'))).toBeUndefined();
    sampler.close();
  });
});
