import * as fc from 'fast-check';
import { Observer } from './invariants/index.ts';
import { arbitraryScenario } from './scenario/arbitrary-scenario.ts';
import type { Entry } from './scenario/entry.ts';
import type { Scenario } from './scenario/scenario.ts';
import { ScenarioRun } from './scenario/scenario-run.ts';

/** A scenario in which something went wrong, as small as it could be made. */
export interface Failure {
  readonly seed: number;
  /** Leads from the seed to the shrunk scenario without shrinking again. */
  readonly path: string;
  readonly scenario: Scenario;
  readonly error: Error;
  /** What happened, up to the failure. */
  readonly entries: readonly Entry[];
}

/** Shrinking ends after this long, with what it has got by then. */
const SHRINK_MS = 20_000;

/** What came of a scenario; with an error when an invariant did not hold, or when the Pod never ended. */
interface Life {
  readonly entries: readonly Entry[];
  readonly error: Error | undefined;
}

/** Lives a scenario from its first instant to its last, or to the first mistake. */
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
  /** Of a failure that was found before: leads to its shrunk scenario. */
  readonly path?: string | undefined;
  /** Is a failure not worth the time to shrink it? */
  readonly isKnown?: (error: Error) => boolean;
}

/** The random scenario of a seed. */
export function scenarioOf(seed: number): Scenario {
  return fc.sample(arbitraryScenario, { seed: scattered(seed), numRuns: 1 })[0]!;
}

/** Lives the random scenario of one seed; undefined: every invariant holds. */
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

/** Neighbouring seeds would begin with similar numbers. Source: the finalizer of MurmurHash3. */
function scattered(seed: number): number {
  let hash = seed | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}
