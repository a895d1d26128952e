import { EXIT, PodrunError } from '../api/errors.ts';
import type { StoredPod as Pod } from '../api/objects.ts';

/** One mistake in a manifest. */
export interface ManifestProblem {
  /** The file as it was given; undefined: the manifest came as an object, or the mistake is in no file. */
  readonly file: string | undefined;
  /** From 1; undefined where there is no text that it stands in. */
  readonly line: number | undefined;
  /** From 1. */
  readonly column: number | undefined;
  /** The kind of the object, `Pod`; undefined where that is not known. */
  readonly kind: string | undefined;
  /** The name of the object. */
  readonly name: string | undefined;
  /** Path of the field, as the API server writes it: `spec.containers[0].image`; empty: the whole object. */
  readonly field: string;
  /** What it says, in the words of the API server: `spec.containers[0].image: Required value`. */
  readonly message: string;
  /** What to do, a short phrase. */
  readonly hint: string | undefined;
}

/**
 * A manifest is wrong, or cannot be read. Nothing was started. `message` has all mistakes of all manifests, each with
 * its place, as the command line prints them.
 */
export class ManifestError extends PodrunError {
  override readonly name: string = 'ManifestError';
  readonly problems: readonly ManifestProblem[];

  /** @internal */
  constructor(message: string, problems: readonly ManifestProblem[]) {
    super(message, { exitCode: EXIT.usage });
    this.problems = problems;
  }
}

/**
 * The goal of a wait can never be reached any more, or a Pod became Ready and did not stay so. `message` says why,
 * with the evidence: probes, the last log lines.
 */
export class GoalError extends PodrunError {
  override readonly name: string = 'GoalError';
  /** What was waited for: `Ready`, `Succeeded`, `example.com/lb=True`. */
  readonly goal: string;
  /** The Pod that cannot get there, as it was when that became certain. */
  declare readonly pod: Pod;
  /** Why, a sentence: `container main exited with code 3`. `message` has the evidence, too. */
  readonly reason: string;

  /** @internal */
  constructor(goal: string, pod: Pod, why: string, failing: 'cannot become' | 'did not stay' = 'cannot become') {
    super(`pod "${pod.metadata.name}" ${failing} ${goal}: ${why}`);
    this.goal = goal;
    [this.reason = ''] = why.split('\n');
    hide(this, 'pod', pod);
  }
}

/** What was waited for did not come in time. The Pods go on. `message` says what each of them was waiting for. */
export class TimeoutError extends PodrunError {
  override readonly name: string = 'TimeoutError';
  readonly goal: string;
  readonly timeoutMs: number;
  /** The Pods that had not got there, as they were when the time was up. */
  declare readonly pods: readonly Pod[];

  /** @internal */
  constructor(message: string, detail: Pick<TimeoutError, 'goal' | 'timeoutMs' | 'pods'>) {
    super(message, { exitCode: EXIT.timeout });
    this.goal = detail.goal;
    this.timeoutMs = detail.timeoutMs;
    hide(this, 'pods', detail.pods);
  }
}

/** Test reports print the fields of errors, and would drown in whole Pods. */
function hide(error: Error, name: string, value: unknown): void {
  Object.defineProperty(error, name, { value, enumerable: false });
}
