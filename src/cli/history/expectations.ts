import { EXIT, PodrunError, type StoredPod, usage } from '../../api/index.ts';
import { type Expectation, meetExpectation, type NamedRun, noTransitions } from '../../history/index.ts';
import { readExpectations } from '../../manifest/index.ts';
import { type ExpectationOutcome, isMet, type JunitSuite, outcomeSuites, renderOutcomes } from '../../print/index.ts';
import { type FileStore, readUpTo, RecordedRuns, unreadableFile } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';

/** The largest file with expectations: a larger one is a mistake. */
const EXPECTATIONS_MAX_BYTES = 4 * 2 ** 20;

/**
 * Reads a file with expectations.
 * @throws {PodrunError} (usage) with all mistakes in the file
 */
export async function readExpectationFile({ pathOf }: Cli, file: string): Promise<readonly Expectation[]> {
  let bytes: Buffer;
  try {
    bytes = readUpTo(pathOf(file), EXPECTATIONS_MAX_BYTES);
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

/** The expectations of `apply --expect` about its Pods. */
export class ApplyExpectations {
  readonly #expectations: readonly Expectation[];
  readonly #pods: readonly StoredPod[];

  private constructor(expectations: readonly Expectation[], pods: readonly StoredPod[]) {
    this.#expectations = expectations;
    this.#pods = pods;
  }

  /**
   * Reads the file.
   * @throws {PodrunError} (usage) when the file is wrong, or names a Pod that is not applied
   */
  static async read(cli: Cli, file: string, pods: readonly StoredPod[]): Promise<ApplyExpectations> {
    const expectations = await readExpectationFile(cli, file);
    const names = pods.map(({ metadata }) => metadata.name);
    const other = expectations.find(({ pod }) => pod !== undefined && !names.includes(pod));
    if (other === undefined) return new ApplyExpectations(expectations, pods);
    const present = names.join(', ') || 'none';
    throw usage(`${other.place} names the Pod ${other.pod}, but the manifests have ${present}`);
  }

  /**
   * Prints the outcome. Returns the exit code of the run, or 1 when the run succeeded and an expectation is not met.
   */
  check(cli: Cli, store: FileStore, exitCode: number): number {
    const outcomes = this.#outcomes(store);
    const text = renderOutcomes(outcomes);
    if (outcomes.every(isMet)) cli.note(text.trimEnd());
    else cli.stderr.write(text);
    return exitCode === EXIT.ok && !outcomes.every(isMet) ? EXIT.failed : exitCode;
  }

  /** The outcome as test suites, for a report. */
  suites(store: FileStore): readonly JunitSuite[] {
    return outcomeSuites(this.#outcomes(store));
  }

  #outcomes(store: FileStore): readonly ExpectationOutcome[] {
    const runs = new RecordedRuns(store);
    const named = this.#pods.map(({ metadata: { namespace, name } }) => {
      const match = runs.find(namespace, name);
      return { run: match.run, recorded: runs.read(match) };
    });
    return outcomesOf(this.#expectations, named);
  }
}
