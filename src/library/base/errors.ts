import { PodrunError, type StoredPod as Pod, type Workload } from '../../api/index.ts';

/** One mistake in a manifest. */
export interface ManifestProblem {
  /** The file, as it was given. Undefined for a manifest that came as an object, or a mistake that is in no file. */
  readonly file: string | undefined;
  /** Counted from 1. Undefined for a mistake that has no position in a text. */
  readonly line: number | undefined;
  /** Counted from 1. */
  readonly column: number | undefined;
  /** The kind of the object, as `Pod`. Undefined when the kind is not known. */
  readonly kind: string | undefined;
  /** The name of the object. */
  readonly name: string | undefined;
  /** Path of the field, as the API server writes it: `spec.containers[0].image`; empty: the whole object. */
  readonly field: string;
  /** The mistake in the words of the API server: `spec.containers[0].image: Required value`. */
  readonly message: string;
  /** A short phrase with advice. */
  readonly hint: string | undefined;
}

/**
 * A manifest is wrong or cannot be read. Nothing was started. `message` lists all mistakes of all manifests with their
 * positions, as the command line prints them.
 */
export class ManifestError extends PodrunError {
  override readonly name: string = 'ManifestError';
  readonly problems: readonly ManifestProblem[];

  /** @internal */
  constructor(message: string, problems: readonly ManifestProblem[]) {
    super('InvalidManifest', message, { path: problems.find(({ file }) => file !== undefined)?.file });
    this.problems = problems;
  }
}

/**
 * A Pod or workload can no longer reach the goal of a wait, or a Pod became Ready and did not stay Ready. `message`
 * gives the reason and the evidence: probes, the last log lines.
 */
export class GoalError extends PodrunError {
  override readonly name: string = 'GoalError';
  /** The goal of the wait: `Ready`, `Succeeded`, `example.com/lb=True`. */
  readonly goal: string;
  /** The Pod or workload that failed, at the time of the failure. */
  declare readonly object: Pod | Workload;
  /** The reason, a sentence: `container main exited with code 3`. `message` adds the evidence. */
  readonly reason: string;

  /** @internal */
  constructor(
    goal: string,
    object: Pod | Workload,
    why: string,
    failing: 'cannot become' | 'did not stay' = 'cannot become',
  ) {
    super('GoalNotReached', `${object.kind.toLowerCase()} "${object.metadata.name}" ${failing} ${goal}: ${why}`);
    this.goal = goal;
    [this.reason = ''] = why.split('\n');
    hide(this, 'object', object);
  }
}

/** Pods or workloads did not reach the goal in time. They keep running. `message` says what each was waiting for. */
export class TimeoutError extends PodrunError {
  override readonly name: string = 'TimeoutError';
  readonly goal: string;
  readonly timeoutMs: number;
  /** The Pods and workloads that had not reached the goal, at the end of the time limit. */
  declare readonly objects: ReadonlyArray<Pod | Workload>;

  /** @internal */
  constructor(message: string, detail: Pick<TimeoutError, 'goal' | 'timeoutMs' | 'objects'>) {
    super('Timeout', message);
    this.goal = detail.goal;
    this.timeoutMs = detail.timeoutMs;
    hide(this, 'objects', detail.objects);
  }
}

/** Makes a field of an error not enumerable: test reports print all enumerable fields, and a Pod is long. */
function hide(error: Error, name: string, value: unknown): void {
  Object.defineProperty(error, name, { value, enumerable: false });
}
