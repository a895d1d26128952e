import { EXIT, type StoredPod, usage } from '../../api/index.ts';
import type { Expectation } from '../../history/index.ts';
import { type ExpectationOutcome, isMet, type JunitSuite, outcomeSuites, renderOutcomes } from '../../print/index.ts';
import { type FileStore, RecordedRuns } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import { outcomesOf, readExpectationFile } from './expectations.ts';

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
  static async read(file: string, pods: readonly StoredPod[]): Promise<ApplyExpectations> {
    const expectations = await readExpectationFile(file);
    const names = pods.map(({ metadata }) => metadata.name);
    const other = expectations.find(({ pod }) => pod !== undefined && !names.includes(pod));
    if (other === undefined) return new ApplyExpectations(expectations, pods);
    const present = names.join(', ') || 'none';
    throw usage(`${other.place} names the Pod ${other.pod}, but the manifests have ${present}`);
  }

  /**
   * Prints the outcome. Answers the exit code of the run, or 1 when the run succeeded and an expectation is not met.
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
      const found = runs.find(namespace, name);
      return { run: found.run, recorded: runs.read(found) };
    });
    return outcomesOf(this.#expectations, named);
  }
}
