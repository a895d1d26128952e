import { type Expectation, meetExpectation, type NamedRun, noTransitions } from '../../history/index.ts';
import { PodrunError, usage } from '../../api/index.ts';
import { readExpectations } from '../../manifest/index.ts';
import { readUpTo, unreadableFile } from '../../store/index.ts';
import type { ExpectationOutcome } from '../../print/index.ts';

/** The largest file with expectations: a larger one is a mistake. */
const EXPECTATIONS_MAX_BYTES = 4 * 2 ** 20;

/**
 * Reads a file with expectations.
 * @throws {PodrunError} (usage) with all mistakes in the file
 */
export async function readExpectationFile(file: string): Promise<readonly Expectation[]> {
  let bytes: Buffer;
  try {
    bytes = readUpTo(file, EXPECTATIONS_MAX_BYTES);
  } catch (error) {
    throw unreadableFile(file, error);
  }
  const { expectations, mistakes } = await readExpectations(file, bytes);
  if (mistakes.length > 0) throw usage(mistakes.join('\nerror: '));
  return expectations;
}

/**
 * Checks each expectation against the runs of its Pod.
 * @throws {PodrunError} when there is no such run, or the run has no record
 */
export function outcomesOf(expectations: readonly Expectation[], runs: readonly NamedRun[]): ExpectationOutcome[] {
  return expectations.flatMap((expectation) => {
    const meant = runs.filter(({ recorded }) => recorded.name === (expectation.pod ?? recorded.name));
    if (meant.length === 0) {
      const present = [...new Set(runs.map(({ recorded }) => recorded.name))].join(', ');
      throw new PodrunError(
        'NotFound',
        `${expectation.place} names the Pod ${expectation.pod}, but the runs are of ${present}`,
      );
    }
    return meant.map(({ run, recorded }): ExpectationOutcome => {
      const outcome = meetExpectation(expectation, recorded);
      if (outcome === undefined) throw noTransitions(run);
      return { run, place: expectation.place, ...outcome };
    });
  });
}
