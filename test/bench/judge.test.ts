import { describe, expect, it } from 'vitest';

interface Samples {
  readonly median: number;
  readonly cpuMs?: number;
}

interface Row {
  readonly name: string;
  readonly unit: string;
  readonly better: 'less' | 'more';
  readonly podrun: Samples;
  readonly floor?: Samples;
  readonly peers?: Readonly<Record<string, Samples | string>>;
  readonly promises?: ReadonlyArray<Readonly<Record<string, string | number>>>;
}

interface Judge {
  readonly promisesOf: (row: Row) => Array<{ text: string; missedBy: number }>;
  readonly worstMiss: (row: Row) => number;
  readonly worseThanRecorded: (row: Row, recorded: Row | undefined) => number | undefined;
  readonly betterOf: (first: Row[], second: Row[], badness: (row: Row) => number) => Row[];
}

interface Sampling {
  readonly interleaved: (
    contestants: Record<string, undefined | (() => number | undefined)>,
    options: { rounds: number; warmUps?: number },
  ) => Promise<Record<string, number[]>>;
  readonly samplesOf: (
    values: Array<number | { ms: number; cpuMs?: number }>,
  ) => Samples & { low: number; high: number };
  readonly quantile: (sorted: number[], share: number) => number;
}

/** The benchmarks are plain JavaScript. */
async function harness<T>(name: string): Promise<T> {
  return (await import(new URL(`../../bench/harness/${name}.mjs`, import.meta.url).href)) as T;
}

const { promisesOf, worstMiss, worseThanRecorded, betterOf } = await harness<Judge>('judge');
const { interleaved, samplesOf, quantile } = await harness<Sampling>('samples');

const row: Row = { name: 'a.row', unit: 'ms', better: 'less', podrun: { median: 100 }, floor: { median: 50 } };

describe('a promise of a benchmark', () => {
  it.each<{ promise: Record<string, string | number>; of?: Partial<Row>; text: string; missedBy: number }>([
    { promise: { atMost: 80 }, text: 'at most 80 ms', missedBy: 1.25 },
    { promise: { atLeast: 200 }, text: 'at least 200 ms', missedBy: 2 },
    { promise: { against: 'floor', timesWorseAtMost: 2 }, text: 'at most 2 x floor', missedBy: 1 },
    { promise: { against: 'peer', timesBetterAtLeast: 2 }, text: '2 x better than peer', missedBy: 0.5 },
    {
      promise: { against: 'peer', timesBetterAtLeast: 2 },
      of: { better: 'more' },
      text: '2 x better than peer',
      missedBy: 8,
    },
    { promise: { against: 'absent', timesBetterAtLeast: 2 }, text: '2 x better than absent', missedBy: 0 },
  ])('$promise is missed by a factor of $missedBy', ({ promise, of, text, missedBy }) => {
    const judged = { ...row, ...of, peers: { peer: { median: 400 }, absent: 'not here' }, promises: [promise] };
    expect(promisesOf(judged)).toEqual([{ text, missedBy }]);
    expect(worstMiss(judged)).toBe(missedBy);
  });

  it('is compared with a record by the ratio to the floor in processor time, where both have one', () => {
    const of = (cpuMs: number, floorMs: number): Row => ({
      ...row,
      podrun: { median: 1, cpuMs },
      floor: { median: 1, cpuMs: floorMs },
    });
    expect(worseThanRecorded(of(300, 100), of(100, 50))).toBe(1.5);
    expect(worseThanRecorded(row, of(100, 50))).toBeUndefined();
    expect(worseThanRecorded(of(100, 50), undefined)).toBeUndefined();
  });

  it('counts by the better of two measurements, row by row', () => {
    const of = (name: string, median: number): Row => ({ ...row, name, podrun: { median } });
    const better = betterOf([of('a', 1), of('b', 4)], [of('a', 2), of('b', 3)], ({ podrun }) => podrun.median);
    expect(better.map(({ podrun }) => podrun.median)).toEqual([1, 3]);
  });
});

describe('samples', () => {
  it('are the median and the quartiles, and the mean of the processor time', () => {
    const samples = samplesOf([{ ms: 30, cpuMs: 10 }, { ms: 10, cpuMs: 20 }, { ms: 20 }]);
    expect(samples).toEqual({ median: 20, low: 15, high: 25, runs: 3, cpuMs: 15 });
    expect(quantile([0, 10], 0.99)).toBeCloseTo(9.9);
    expect(() => samplesOf([])).toThrow('nothing was measured');
  });

  it('are taken in turns, and another contestant begins each round', async () => {
    const order: string[] = [];
    const says = (name: string) => () => order.push(name);
    const measured = await interleaved({ a: says('a'), b: says('b'), c: undefined }, { rounds: 2, warmUps: 1 });
    expect(order.join('')).toBe('abbaab');
    expect(measured).toEqual({ a: [4, 5], b: [3, 6] });
  });
});
