// Contestants take turns, so that a busy moment of the machine hits all of them. Their medians are compared.

/** The most rounds, for trying a benchmark out. */
const ROUNDS_MAX = Number(process.env.PODRUN_BENCH_ROUNDS ?? Infinity);

/**
 * Lets each contestant measure itself once in every round. Each round begins with another contestant. The first round
 * warms caches and does not count.
 *
 * @template T
 * @param {Record<string, undefined | (() => T | undefined | Promise<T>)>} contestants  by name; an undefined
 *   contestant is left out, and one that returns undefined sits out a round
 * @param {{ rounds: number, warmUps?: number }} options
 * @returns {Promise<Record<string, T[]>>} the values of each contestant, by round
 */
export async function interleaved(contestants, { rounds: wanted, warmUps = ROUNDS_MAX > 2 ? 1 : 0 }) {
  const rounds = Math.min(wanted, ROUNDS_MAX);
  const entries = Object.entries(contestants).filter(([, contestant]) => contestant !== undefined);
  const measured = Object.fromEntries(entries.map(([name]) => [name, []]));
  for (let round = -warmUps; round < rounds; round++) {
    for (let turn = 0; turn < entries.length; turn++) {
      const [name, contestant] = entries[(turn + round + warmUps) % entries.length];
      const value = await contestant();
      if (round >= 0 && value !== undefined) measured[name].push(value);
    }
  }
  return measured;
}

/** A contestant that takes part in one of `rounds` rounds, because it takes long. Undefined stays undefined. */
export function oneIn(rounds, contestant) {
  let round = 0;
  const every = ROUNDS_MAX === Infinity ? rounds : 1;
  return contestant && (() => (round++ % every === 0 ? contestant() : undefined));
}

/**
 * @param {Array<number | { ms: number, cpuMs?: number }>} values  as `timeOf` and `costOf` answer them
 * @returns {import('./shape.mjs').Samples}
 */
export function samplesOf(values) {
  const sorted = values.map((value) => value.ms ?? value).toSorted((a, b) => a - b);
  // The kernel counts in steps of 10 ms: only the mean of many runs is meaningful.
  const cpu = values.map((value) => value.cpuMs).filter((value) => value !== undefined);
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
    runs: sorted.length,
    ...(cpu.length > 0 && { cpuMs: cpu.reduce((sum, value) => sum + value, 0) / cpu.length }),
  };
}

/** The quantile for a share, interpolated between two values. `sorted` is in order and not empty. */
export function quantile(sorted, share) {
  if (sorted.length === 0) throw new Error('nothing was measured');
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const next = sorted[Math.min(below + 1, sorted.length - 1)];
  return sorted[below] + (next - sorted[below]) * (position - below);
}

/** Measures contestants in turns, and sums up the samples of each. */
export async function compared(contestants, options) {
  const measured = await interleaved(contestants, options);
  return Object.fromEntries(Object.entries(measured).map(([name, values]) => [name, samplesOf(values)]));
}

/** A figure of one measurement. */
export function single(value) {
  return { median: value, low: value, high: value, runs: 1 };
}
