import type { HookOutput } from '../../agent/handlers.ts';
import type { RunOutcome } from '../../agent/apply-run.ts';
import type { StoredEvent, StoredPod, WatchEvent } from '../../api/objects.ts';
import type { Clock } from '../../clock.ts';
import type { PodActivity } from '../../lifecycle/activity.ts';
import type { ManifestObject } from '../../run/manifest-object.ts';
import type { OutputStream } from '../../runtime/runtime.ts';
import type { ApplyFlags } from '../apply/apply-flags.ts';
import type { ReaderGone } from '../standard-streams.ts';

/** What a run of `apply` shows while it goes on. */
export interface ApplyView {
  pod(event: WatchEvent<StoredPod>): void;
  event(event: WatchEvent<StoredEvent>): void;
  /** Answers when more may come, where that is not now: see MachineOptions.onOutput. */
  output(pod: StoredPod, container: string, stream: OutputStream, chunk: Buffer): Promise<void> | undefined;
  /** Hooks write whole lines. */
  hookOutput(pod: StoredPod, output: HookOutput): void;
  /** Something that was done besides, for example `configmap/x created`. */
  note(text: string): void;
  /** Something that went wrong and does not end the run; said once. */
  trouble(text: string): void;
  /** Where to ask what is about to be done for the Pod with a uid. */
  follow(activityOf: (uid: string) => PodActivity | undefined): void;
  commandStarts(argv: readonly string[]): void;
  /** The end has been decided; the Pods are being ended. */
  ending(outcome: RunOutcome): void;
  /** Calls back when nobody reads the standard output any more. */
  onReaderGone(callback: (how: ReaderGone) => void): void;
  /** Nothing is shown any more; the terminal is as it was. May be called twice. */
  close(): void;
}

export interface ViewOptions {
  readonly flags: ApplyFlags;
  readonly clock: Clock;
  readonly pods: readonly StoredPod[];
  /** Of the Pods: where they were read from. */
  readonly manifests: readonly ManifestObject[];
}
