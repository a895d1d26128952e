import type { StoredPod } from '../api/objects.ts';
import type { Clock } from '../clock.ts';
import type { OutputStream, RunningContainer } from '../runtime/runtime.ts';
import type { NetworkJoin } from '../runtime/network/join.ts';
import type { RecordedUsage } from '../api/usage-totals.ts';
import type { HookRun } from '../lifecycle/hook-run.ts';
import type { ProbeAttempt } from '../lifecycle/probes/probe-attempt.ts';
import type { MemoryArea } from '../store/memory-folders.ts';
import type { InstanceRef } from './instance.ts';
import type { HandlerSaying } from './handler-voice.ts';

/** A log file that is being written. */
export interface LogSink {
  write(stream: OutputStream, chunk: Buffer, wallMs: number): void;
  close(): void;
}

/** A journal of probes that is being written. Throws a PodrunError when it cannot be. */
export interface ProbeSink {
  append(attempt: ProbeAttempt, wallMs: number): void;
  close(): void;
}

/** The files of a Pod beside its object. */
export interface PodFiles {
  /** Makes the Pod's directories. Rejects with a PodrunError when it cannot. */
  prepare(pod: StoredPod): Promise<void>;
  /** The folder that holds the Pod's volumes. */
  volumes(pod: StoredPod): string;
  /** Where what must not be on a disk can be. */
  readonly memory: MemoryArea;
  /** The folder that holds the logs of all runs of a container. */
  logs(pod: StoredPod, container: string): string;
  /** The folder that keeps the Pod's /etc/hosts and the like. */
  etc(pod: StoredPod): string;
  /** The folder that keeps what an instance writes to its copy of the host's root; made by the runtime. */
  layer(pod: StoredPod, instance: InstanceRef): string;
  /** The folder that holds the layers of all runs of a container. */
  layers(pod: StoredPod, container: string): string;
  /** Where the data of a claim of that namespace lies, whichever Pod uses it. */
  claimedVolume(namespace: string, claim: string): string;
  openLog(pod: StoredPod, container: string, attempt: number): LogSink;
  /** The file that this is. */
  logFile(pod: StoredPod, instance: InstanceRef): string;
  /** The journal of the Pod's probes. */
  probeJournal(pod: StoredPod): ProbeSink;
  /** Adds to the journal of the Pod's hooks. Throws a PodrunError when it cannot. */
  recordHook(pod: StoredPod, run: HookRun, wallMs: number): void;
  /** Adds to the journal of what its containers have taken. Throws a PodrunError when it cannot. */
  recordUsage(pod: StoredPod, usage: RecordedUsage, wallMs: number): void;
  /** Adds to the log of an instance's hooks and probes. Throws a PodrunError when it cannot. */
  logHandler(pod: StoredPod, instance: InstanceRef, said: HandlerSaying, wallMs: number): void;
  /** The last lines of the log of an instance, as they were written. */
  logTail(pod: StoredPod, instance: InstanceRef, lines: number): string;
  /** Where an instance may write its termination message. */
  terminationLog(pod: StoredPod, instance: InstanceRef): string;
  /** The socket through which others attach to the Pod's containers. */
  attachSocket(pod: StoredPod): string;
  /** Remembers a process, so that a later command can end it when the agent was killed. */
  recordProcess(pod: StoredPod, instance: InstanceRef, container: Pick<RunningContainer, 'pid' | 'cgroups'>): void;
  /** The same for what keeps the network of a Pod, with what others need who want to get in. */
  recordNetwork(pod: StoredPod, network: NetworkJoin): void;
  /** As recorded, if it is still kept. */
  recordedNetwork(pod: StoredPod): NetworkJoin | undefined;
  /** Those of all Pods that somebody runs. */
  addressesInUse(): ReadonlySet<string>;
}

export interface ContainerLogsOptions {
  readonly files: PodFiles;
  readonly clock: Clock;
}

/** The logs of all containers that run: one file for each instance, opened with its first output. */
export class ContainerLogs {
  readonly #files: PodFiles;
  readonly #clock: Clock;
  readonly #open = new Map<string, LogSink>();

  constructor({ files, clock }: ContainerLogsOptions) {
    this.#files = files;
    this.#clock = clock;
  }

  /** @throws {PodrunError} when it cannot be written; the next piece is another chance */
  write(pod: StoredPod, instance: InstanceRef, stream: OutputStream, chunk: Buffer): void {
    let log = this.#open.get(instance.id);
    if (log === undefined) {
      log = this.#files.openLog(pod, instance.container, instance.attempt);
      this.#open.set(instance.id, log);
    }
    log.write(stream, chunk, this.#clock.now().wallMs);
  }

  /**
   * The instance has ended: its log is complete.
   * @throws {PodrunError} when it is not
   */
  close(instance: InstanceRef): void {
    const log = this.#open.get(instance.id);
    this.#open.delete(instance.id);
    log?.close();
  }
}
