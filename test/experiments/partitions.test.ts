import { describe, expect, it } from 'vitest';
import { Partitions } from '../../src/experiments/partitions.ts';
import { type Partition, readFault } from '../../src/experiments/read-fault.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { newPod } from '../simulation/new-pod.ts';

interface World {
  readonly clock: ManualClock;
  readonly partitions: Partitions;
  /** The changes of networks, and the events, in their order. */
  readonly story: string[];
  readonly join: (names: readonly string[]) => Promise<void>;
}

function worldWith(texts: readonly string[], cut: (isCut: boolean) => void = () => undefined): World {
  const clock = new ManualClock();
  const story: string[] = [];
  const partitions = new Partitions({
    faults: texts.map((text) => readFault(text) as Partition),
    clock,
    tell: (_, { type, reason, message }) => story.push(`${type} ${reason} ${message}`),
    source: (text) => text,
  });
  const join = (names: readonly string[]): Promise<void> => {
    return partitions.joined(newPod({}), names, async (isCut) => {
      cut(isCut);
      story.push(isCut ? 'cut' : 'connected');
      return Promise.resolve();
    });
  };
  return { clock, partitions, story, join };
}

describe('Partitions', () => {
  it('cut a Pod of the workload off and connect it again', async () => {
    const { clock, story, join } = worldWith(['partition:web@5s+10s', 'partition:db']);
    await join(['web-x', 'web']);
    await clock.run(4999);
    expect(story).toEqual([]);
    await clock.run(1);
    const began = ['cut', 'Warning FaultInjected the Pod is cut off from the network (partition:web@5s+10s)'];
    expect(story).toEqual(began);
    await clock.run(10_000);
    expect(story).toEqual([
      ...began,
      'connected',
      'Normal FaultOver the Pod is connected with the network (partition:web@5s+10s)',
    ]);
    expect(clock.alarmCount).toBe(0);
  });

  it('cut a Pod off before it starts when it joins while they last, and leave it alone afterwards', async () => {
    const { clock, story, join } = worldWith(['partition:web@5s+10s']);
    await clock.run(6000);
    await join(['web']);
    expect(story[0]).toBe('cut');
    const late = worldWith(['partition:web@0s+1s']);
    await late.clock.run(1000);
    await late.join(['web']);
    await late.clock.run(60_000);
    expect(late.story).toEqual([]);
  });

  it('connect a Pod when the last one of several ends', async () => {
    const { clock, story, join } = worldWith(['partition:web@0s+10s', 'partition:web@5s+10s']);
    await join(['web']);
    await join(['web']);
    await clock.run(14_999);
    expect(story.filter((line) => !line.includes(' '))).toEqual(['cut']);
    await clock.run(1);
    expect(story.filter((line) => !line.includes(' '))).toEqual(['cut', 'connected']);
  });

  it('say why they cannot', async () => {
    const { story, join } = worldWith(['partition:web'], () => {
      throw new Error('ip: no rights');
    });
    await join(['web']);
    expect(story).toEqual([
      'Warning FaultInjected the network of the Pod stays unchanged: ip: no rights (partition:web)',
    ]);
  });

  it('end with the run', async () => {
    const { clock, partitions, story, join } = worldWith(['partition:web@5s']);
    await join(['web']);
    partitions.close();
    await clock.run(60_000);
    expect(story).toEqual([]);
  });
});
