import * as fc from 'fast-check';

/** A failed scenario, shrunk as far as possible. */
export interface Failure {
  readonly error: Error;
  /** The error, the scenario, everything up to the failure, and the command that replays it. */
  readonly report: string;
}

/** The time limit of shrinking. */
const SHRINK_MS = 20_000;

/** The result of a scenario. With an error when an invariant was broken or the scenario never ended. */
export interface Life<E> {
  readonly entries: readonly E[];
  readonly error: Error | undefined;
}

/** A kind of scenarios: S is one of them, E an entry of what happens in it. */
export interface Subject<S, E> {
  /** The word for it in the command line. */
  readonly name: string;
  readonly arbitrary: fc.Arbitrary<S>;
  /** Runs a scenario from its first instant to its last, or to the first error. */
  readonly live: (scenario: S) => Promise<Life<E>>;
  readonly scenarioText: (scenario: S) => string;
  /** One line for each entry that is worth it. */
  readonly timeline: (entries: readonly E[]) => string[];
}

export interface Attempt {
  /** The path of a known failure to its shrunk scenario. */
  readonly path?: string | undefined;
  /** True when a failure is not worth the time of shrinking it. */
  readonly isKnown?: (error: Error) => boolean;
}

/** Tries scenarios by their seeds. */
export interface SeedSearch {
  /** Runs the random scenario of one seed. Undefined: every invariant holds. */
  trySeed(seed: number, attempt?: Attempt): Promise<Failure | undefined>;
}

/** Looks for scenarios that fail. */
export class Search<S, E> implements SeedSearch {
  readonly #subject: Subject<S, E>;

  constructor(subject: Subject<S, E>) {
    this.#subject = subject;
  }

  /** The random scenario of a seed. */
  scenarioOf(seed: number): S {
    return fc.sample(this.#subject.arbitrary, { seed: scattered(seed), numRuns: 1 })[0]!;
  }

  async trySeed(seed: number, { path, isKnown }: Attempt = {}): Promise<Failure | undefined> {
    const { arbitrary, live } = this.#subject;
    const drawn = this.scenarioOf(seed);
    if (path === undefined) {
      const life = await live(drawn);
      if (life.error === undefined) return undefined;
      if (isKnown?.(life.error)) return this.#failure(seed, '0', drawn, life);
    }
    const found = await fc.check(
      fc.asyncProperty(arbitrary, async (scenario) => {
        const { error } = await live(scenario);
        if (error !== undefined) throw error;
      }),
      {
        seed: scattered(seed),
        numRuns: 1,
        interruptAfterTimeLimit: SHRINK_MS,
        ...(path === undefined ? {} : { path, endOnFailure: true }),
      },
    );
    const [scenario] = found.counterexample ?? [drawn];
    return this.#failure(seed, found.counterexamplePath ?? '0', scenario, await live(scenario));
  }

  #failure(seed: number, path: string, scenario: S, { error, entries }: Life<E>): Failure | undefined {
    if (error === undefined) return undefined;
    const { name, scenarioText, timeline } = this.#subject;
    const isOurs = error.name === 'InvariantBroken';
    const report = [
      `seed ${seed}: ${isOurs ? error.message : (error.stack ?? error.message)}`,
      scenarioText(scenario),
      'What happened (seconds):',
      ...timeline(entries),
      '',
      `Once more: npm run simulate -- ${name} --seed ${seed} --path ${path}`,
    ].join('\n');
    return { error, report };
  }
}

/** Scatters neighbouring seeds, whose random numbers would be similar. Source: the finalizer of MurmurHash3. */
function scattered(seed: number): number {
  let hash = seed | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}

/** An error as an Error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** One line of a timeline. */
export function timelineLine(atMs: number, text: string): string {
  return `${(atMs / 1000).toFixed(3).padStart(10)}  ${text}`;
}
