import type { Container, StoredPod } from '../api/index.ts';
import type { EnsureCall } from '../images/index.ts';
import type {
  EnsuredImage,
  EventDraft,
  HookRun,
  ProbeAttempt,
  ProbeOutcome,
  StorageMeasures,
  StorageUsage,
} from '../lifecycle/index.ts';
import type { NetworkSymptom } from '../network/index.ts';
import type { OutputStream, ProcessExit, ResourceLimits } from '../runtime/index.ts';
import type { InstanceRef } from '../store/index.ts';
import type { HandlerOutput } from './hooks/handler-log.ts';
import type { HookInput, HookOutcome } from './hooks/hooks.ts';
import type { Launch, LiveInstance } from './base/instance.ts';
import type { ProbeInput } from './probe/input.ts';
import type { LaunchOutcome } from './steps/step.ts';
import type { SandboxAttempt } from './volumes/pod-volumes.ts';

/**
 * This machine as its Pods use it: their sandboxes, and the steps, logs and clients of their containers. A simulation
 * has its own.
 */
export interface PodMachine {
  /**
   * Creates the Pod's sandbox: its volumes and its network. Rejects on failure. Waits for missing ConfigMaps and the
   * like until the signal is aborted: then it ends soon, and leaves nothing. Returns the Pod's address; undefined: the
   * node's.
   */
  createSandbox(pod: StoredPod, attempt: SandboxAttempt): Promise<string | undefined>;
  removeSandbox(pod: StoredPod): Promise<void>;
  /** Measures the disk space of the Pod. Never rejects. */
  measureStorage(pod: StoredPod, wanted: StorageMeasures): Promise<StorageUsage>;
  /** Looks up the image of a container, and pulls it when its policy asks for that. Never rejects. */
  ensureImage(pod: StoredPod, call: EnsureCall): Promise<EnsuredImage>;
  /** Computes the launch of a container. Rejects with a defect. */
  prepare(pod: StoredPod, instance: InstanceRef): Promise<LaunchOutcome>;
  /** Called when the runtime could not start a prepared container. */
  startFailed(pod: StoredPod, instance: InstanceRef): void;
  /** Completes the launch of a container of a former agent. */
  restore(pod: StoredPod, instance: InstanceRef, launch: Launch): Launch;
  /** The resource limits of the container. Undefined: none. */
  limitsOf(pod: StoredPod, container: Container): ResourceLimits | undefined;
  /** The file for output that is left in the pipes after podrun was killed; see ContainerLaunch. */
  logFile(pod: StoredPod, instance: InstanceRef): string;
  started(pod: StoredPod, live: LiveInstance): void;
  /** Called after a container of a former agent was taken over. Clients that were attached have to attach again. */
  adopted(pod: StoredPod, live: LiveInstance): Promise<void>;
  output(pod: StoredPod, instance: InstanceRef, stream: OutputStream, chunk: Buffer): void;
  /** Called when the main process has ended and its output is complete. Returns the termination message. */
  exited(pod: StoredPod, instance: InstanceRef, exit: ProcessExit): string | undefined;
  /** Explains how the network may have caused the symptom. Undefined: it did not. */
  explain(pod: StoredPod, instance: InstanceRef, symptom: NetworkSymptom): Promise<EventDraft | undefined> | undefined;
  /** Runs a hook to its end. */
  runHook(input: HookInput): Promise<HookOutcome>;
  /** Runs one probe once. Never rejects. */
  runProbe(input: ProbeInput): Promise<ProbeOutcome>;
  /** Records a finished attempt of a probe. */
  probed(pod: StoredPod, attempt: ProbeAttempt): void;
  /** Records a hook that has returned or was cut short. */
  hooked(pod: StoredPod, run: HookRun): void;
  /** Takes output of a hook or probe: whole lines, or a note of podrun. */
  logHandlerOutput(pod: StoredPod, instance: InstanceRef, output: HandlerOutput): void;
}
