import type { Container } from '../api/generated/types.ts';
import type { StoredPod } from '../api/objects.ts';
import type { EventDraft } from '../lifecycle/effects.ts';
import type { HookRun } from '../lifecycle/hook-run.ts';
import type { ProbeAttempt } from '../lifecycle/probes/probe-attempt.ts';
import type { StorageMeasures, StorageUsage } from '../lifecycle/volumes/local-storage.ts';
import type { ResourceLimits } from '../runtime/confinement.ts';
import type { Adopted, OutputStream, ProcessExit } from '../runtime/runtime.ts';
import type { HandlerSaying } from './handler-voice.ts';
import type { HookInput, HookOutcome } from './hooks.ts';
import type { InstanceRef, LiveInstance, Preparation, Prepared } from './instance.ts';
import type { NetworkSign } from './network/pod-networks.ts';
import type { ProbeInput } from './probe/index.ts';
import type { ProbeOutcome } from './prober.ts';

/** The making of a Pod's environment. */
export interface SandboxAttempt {
  /** Aborted when the Pod goes down: what is being waited for is needed no more. */
  readonly signal: AbortSignal;
  readonly event: (event: EventDraft) => void;
}

/** What container effects need of their surroundings. */
export interface PodSurroundings {
  /**
   * Makes the Pod's environment: its directories and volumes. Rejects when it cannot; waits for what may still come,
   * until the signal is aborted. Answers the Pod's address; undefined: the node's.
   */
  createSandbox(pod: StoredPod, attempt: SandboxAttempt): Promise<string | undefined>;
  removeSandbox(pod: StoredPod): Promise<void>;
  /** What the Pod has on disk; never rejects. */
  measureStorage(pod: StoredPod, wanted: StorageMeasures): Promise<StorageUsage>;
  prepare(pod: StoredPod, container: Container, instance: InstanceRef): Promise<Prepared>;
  /** What the container may take; undefined: whatever there is. */
  limitsOf(pod: StoredPod, container: Container): ResourceLimits | undefined;
  /** Where what is left of its output when podrun is killed belongs, see ContainerLaunch. */
  logFile(pod: StoredPod, instance: InstanceRef): string;
  started(pod: StoredPod, instance: LiveInstance): void;
  /** A container was taken over that a former agent has started. */
  adopted(pod: StoredPod, instance: LiveInstance): void;
  /** How words of commands are translated that run in a container which was started like this. */
  words(pod: StoredPod, instance: InstanceRef, launch: Adopted['launch']): Pick<Preparation, 'translate'>;
  output(pod: StoredPod, instance: InstanceRef, stream: OutputStream, chunk: Buffer): void;
  /** The main process has ended; its output is complete. Answers the termination message. */
  exited(pod: StoredPod, instance: InstanceRef, exit: ProcessExit): string | undefined;
  /** Says what an instance may have to do with the network; undefined: nothing. */
  explain(pod: StoredPod, instance: InstanceRef, sign: NetworkSign): Promise<EventDraft | undefined> | undefined;
  runHook(input: HookInput): Promise<HookOutcome>;
  /** Runs one probe once; never rejects. */
  runProbe(input: ProbeInput): Promise<ProbeOutcome>;
  /** An attempt of a probe has come to an end. */
  probed(pod: StoredPod, attempt: ProbeAttempt): void;
  /** A hook has returned, or was broken off. */
  hooked(pod: StoredPod, run: HookRun): void;
  /** What a hook or probe says: whole lines, or a note of podrun about it. */
  handlerSays(pod: StoredPod, instance: InstanceRef, said: HandlerSaying): void;
  event(pod: StoredPod, event: EventDraft): void;
}
