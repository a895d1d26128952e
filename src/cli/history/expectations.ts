import { EXIT, PodrunError } from '../../api/errors.ts';
import type { Expectation } from '../../api/expectation.ts';
import { meetExpectation } from '../../history/meet-expectation.ts';
import type { NamedRun } from '../../history/state-at.ts';
import { readExpectations } from '../../manifest/expect/read-expectations.ts';
import { readUpTo } from '../../store/read-up-to.ts';
import type { ExpectationOutcome } from '../../print/expectation/outcome.ts';

/** Larger files are not expectations that anybody wrote. */
const EXPECTATIONS_MAX_BYTES = 4 * 2 ** 20;

/**
 * Reads a file of expectations.
 * @throws {PodrunError} (usage) with everything that is wrong with it
 */
export async function readExpectationFile(file: string): Promise<readonly Expectation[]> {
  let bytes: Buffer;
  try {
    bytes = readUpTo(file, EXPECTATIONS_MAX_BYTES);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw usage(
      code === 'ENOENT'
        ? `there is no file ${file}`
        : `cannot read ${file}: ${code === 'EFBIG' ? message : (code ?? message)}`,
    );
  }
  const { expectations, mistakes } = await readExpectations(file, bytes);
  if (mistakes.length > 0) throw usage(mistakes.join('\nerror: '));
  return expectations;
}

/**
 * Each document against each run that it is about.
 * @throws {PodrunError} when there is none, or nothing on record of it
 */
export function outcomesOf(expectations: readonly Expectation[], runs: readonly NamedRun[]): ExpectationOutcome[] {
  return expectations.flatMap((expectation) => {
    const meant = runs.filter(({ recorded }) => recorded.name === (expectation.pod ?? recorded.name));
    if (meant.length === 0) {
      const present = [...new Set(runs.map(({ recorded }) => recorded.name))].join(', ');
      throw new PodrunError(
        `error: ${expectation.place} is about the Pod ${expectation.pod}: there is only ${present}`,
      );
    }
    return meant.map(({ run, recorded }): ExpectationOutcome => {
      const outcome = meetExpectation(expectation, recorded);
      if (outcome === undefined) throw new PodrunError(`error: of the run ${run} no transitions are on record`);
      return { run, place: expectation.place, ...outcome };
    });
  });
}

function usage(message: string): PodrunError {
  return new PodrunError(`error: ${message}`, { exitCode: EXIT.usage });
}
