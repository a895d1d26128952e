import type { Owned } from '../../controllers/index.ts';
import type { HookOutput } from '../../kubelet/index.ts';
import type { PullNotice } from '../../images/index.ts';
import type { RunOutcome } from '../../engine/index.ts';
import type { StoredEvent, StoredPod, WatchEvent, Workload } from '../../api/index.ts';
import type { PodActivity, Root } from '../../lifecycle/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';
import type { OutputStream } from '../../runtime/index.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import type { Cli } from '../base/cli.ts';
import type { ReaderGone } from '../base/process.ts';

/** The output of `apply` while it runs. */
export interface ApplyView {
  pod(event: WatchEvent<StoredPod>): void;
  event(event: WatchEvent<StoredEvent>): void;
  /** A change of a workload, or of another object that its controllers make. */
  object(event: WatchEvent<Owned>): void;
  /**
   * Shows output. Returns a promise when the reader is slow: more output may come when it resolves. See
   * MachineOptions.onOutput.
   */
  output(pod: StoredPod, container: string, stream: OutputStream, chunk: Buffer): Promise<void> | undefined;
  /** Shows output of hooks, in whole lines. */
  hookOutput(pod: StoredPod, output: HookOutput): void;
  /** A line about another action, such as `configmap/x created`. */
  note(text: string): void;
  /** Called when other processes were faster to run all Pods: notes are lines of kubectl from then on. */
  runsNothing?(): void;
  /** Shows a warning, each text once. The run continues. */
  trouble(text: string): void;
  /** Shows the progress of a pull, where there is a line for it. */
  pull(notice: PullNotice): void;
  /** Follows a run that has begun. */
  follow(run: FollowedRun): void;
  commandStarts(argv: readonly string[]): void;
  /** Called when the end is decided, with all roots of the run, also of one that continues without podrun. */
  decided?(outcome: RunOutcome, roots: readonly Root[]): void;
  /** Called then, when podrun begins to end the Pods. */
  ending(outcome: RunOutcome): void;
  /** Calls back when the reader of standard output is gone. */
  onReaderGone(callback: (how: ReaderGone) => void): void;
  /** Stops all output and restores the terminal. May be called twice. */
  close(): void;
}

/** The parts of a run that a view shows or changes. */
export interface FollowedRun {
  /** The current activity for the uid of a Pod. */
  readonly activityOf: (uid: string) => PodActivity | undefined;
  /** Starts a container of the Pod with this resolved uid again. Undefined: this run cannot. */
  readonly restart?: ((uid: string, container: string) => void) | undefined;
}

export interface ApplyViewOptions {
  readonly flags: ApplyFlags;
  readonly cli: Cli;
  readonly pods: readonly StoredPod[];
  /** The workloads of the manifests. */
  readonly workloads: readonly Workload[];
  /** All manifests, with their files. */
  readonly manifests: readonly ManifestObject[];
  /** True when this process runs some of them: then notes are lines of the run. Default: they are lines of kubectl. */
  readonly isRun: boolean;
  /** Asked when the first Pod has a node: true where there are several. Default: there is one. */
  readonly hasNodes?: (() => boolean) | undefined;
}
