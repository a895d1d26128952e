import * as fc from 'fast-check';
import { Observer } from './invariants/index.ts';
import { arbitraryScenario } from './scenario/arbitrary-scenario.ts';
import type { Entry } from './scenario/entry.ts';
import type { Scenario } from './scenario/scenario.ts';
import { ScenarioRun } from './scenario/scenario-run.ts';

/** A failed scenario, shrunk as far as possible. */
export interface Failure {
  readonly seed: number;
  /** The path from the seed to the shrunk scenario, which avoids shrinking again. */
  readonly path: string;
  readonly scenario: Scenario;
  readonly error: Error;
  /** The entries up to the failure. */
  readonly entries: readonly Entry[];
}

/** The time limit of shrinking. */
const SHRINK_MS = 20_000;

/** The result of a scenario. With an error when an invariant was broken or the Pod never ended. */
interface Life {
  readonly entries: readonly Entry[];
  readonly error: Error | undefined;
}

/** Runs a scenario from its first instant to its last, or to the first error. */
export async function live(scenario: Scenario): Promise<Life> {
  const observer = new Observer(scenario);
  const { entries } = observer.past;
  try {
    await new ScenarioRun(scenario, observer.see).live();
    return { entries, error: undefined };
  } catch (error) {
    return { entries, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

export interface Attempt {
  /** The path of a known failure to its shrunk scenario. */
  readonly path?: string | undefined;
  /** True when a failure is not worth the time of shrinking it. */
  readonly isKnown?: (error: Error) => boolean;
}

/** The random scenario of a seed. */
export function scenarioOf(seed: number): Scenario {
  return fc.sample(arbitraryScenario, { seed: scattered(seed), numRuns: 1 })[0]!;
}

/** Runs the random scenario of one seed. Undefined: every invariant holds. */
export async function trySeed(seed: number, { path, isKnown }: Attempt = {}): Promise<Failure | undefined> {
  const drawn = scenarioOf(seed);
  if (path === undefined) {
    const { entries, error } = await live(drawn);
    if (error === undefined) return undefined;
    if (isKnown?.(error)) return { seed, path: '0', scenario: drawn, error, entries };
  }
  const found = await fc.check(
    fc.asyncProperty(arbitraryScenario, async (scenario) => {
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
  const { entries, error } = await live(scenario);
  if (error === undefined) return undefined;
  return { seed, path: found.counterexamplePath ?? '0', scenario, error, entries };
}

/** Scatters neighbouring seeds, whose random numbers would be similar. Source: the finalizer of MurmurHash3. */
function scattered(seed: number): number {
  let hash = seed | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}
