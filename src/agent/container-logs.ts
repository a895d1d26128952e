import type { StoredPod } from '../api/objects.ts';
import type { Clock } from '../clock.ts';
import type { OutputStream, RunningContainer } from '../runtime/runtime.ts';
import type { NetworkJoin } from '../runtime/linux/network/join.ts';
import type { RecordedUsage } from '../machine/usage-totals.ts';
import type { HookRun } from '../lifecycle/hook-run.ts';
import type { ProbeAttempt } from '../lifecycle/probes/probe-attempt.ts';
import type { MemoryArea } from '../store/disk/memory-folders.ts';
import type { InstanceRef } from './instance.ts';
import type { HandlerOutput } from './hooks/handler-log.ts';

/** An open log file. */
export interface LogSink {
  write(stream: OutputStream, chunk: Buffer, wallMs: number): void;
  close(): void;
}

/** An open journal of probes. Its methods throw a PodrunError when the journal cannot be written. */
export interface ProbeSink {
  append(attempt: ProbeAttempt, wallMs: number): void;
  close(): void;
}

/** The files of a Pod beside its object. */
export interface PodFiles {
  /** Creates the Pod's directories. Rejects with a PodrunError on failure. */
  prepare(pod: StoredPod): Promise<void>;
  /** The folder that holds the Pod's volumes. */
  volumes(pod: StoredPod): string;
  /** The place for volumes in memory. */
  readonly memory: MemoryArea;
  /** The folder that holds the logs of all runs of a container. */
  logs(pod: StoredPod, container: string): string;
  /** The folder that keeps the Pod's /etc/hosts, /etc/hostname and /etc/resolv.conf. */
  etc(pod: StoredPod): string;
  /** The folder for the files that an instance writes to its copy of the host's root. The runtime creates it. */
  layer(pod: StoredPod, instance: InstanceRef): string;
  /** The folder that holds the layers of all runs of a container. */
  layers(pod: StoredPod, container: string): string;
  /** The folder with the data of a claim in this namespace. All Pods that use the claim share it. */
  claimedVolume(namespace: string, claim: string): string;
  openLog(pod: StoredPod, container: string, attempt: number): LogSink;
  /** The path of the log file. */
  logFile(pod: StoredPod, instance: InstanceRef): string;
  /** The journal of the Pod's probes. */
  probeJournal(pod: StoredPod): ProbeSink;
  /** Adds a line to the journal of the Pod's hooks. Throws a PodrunError on failure. */
  recordHook(pod: StoredPod, run: HookRun, wallMs: number): void;
  /**
   * Adds a line to the journal of the resources that the Pod's containers have used. Throws a PodrunError on failure.
   */
  recordUsage(pod: StoredPod, usage: RecordedUsage, wallMs: number): void;
  /** Adds lines to the log of an instance's hooks and probes. Throws a PodrunError on failure. */
  logHandler(pod: StoredPod, instance: InstanceRef, output: HandlerOutput, wallMs: number): void;
  /** The last lines of the log of an instance, as they were written. */
  logTail(pod: StoredPod, instance: InstanceRef, lines: number): string;
  /** The file for an instance's termination message. */
  terminationLog(pod: StoredPod, instance: InstanceRef): string;
  /** The socket through which clients attach to the Pod's containers. */
  attachSocket(pod: StoredPod): string;
  /** Records a process, so that a later command can end it after a crash of the agent. */
  recordProcess(pod: StoredPod, instance: InstanceRef, container: Pick<RunningContainer, 'pid' | 'cgroups'>): void;
  /** Records the process that keeps the Pod's network, and how others enter that network. */
  recordNetwork(pod: StoredPod, network: NetworkJoin): void;
  /** The recorded network, if its process still runs. */
  recordedNetwork(pod: StoredPod): NetworkJoin | undefined;
  /** The addresses of all Pods that an agent runs. */
  addressesInUse(): ReadonlySet<string>;
}

export interface ContainerLogsOptions {
  readonly files: PodFiles;
  readonly clock: Clock;
}

/** The logs of all running containers: one file for each instance, opened with its first output. */
export class ContainerLogs {
  readonly #files: PodFiles;
  readonly #clock: Clock;
  readonly #open = new Map<string, LogSink>();

  constructor({ files, clock }: ContainerLogsOptions) {
    this.#files = files;
    this.#clock = clock;
  }

  /** @throws {PodrunError} when the log cannot be written; the next write tries again */
  write(pod: StoredPod, instance: InstanceRef, stream: OutputStream, chunk: Buffer): void {
    let log = this.#open.get(instance.id);
    if (log === undefined) {
      log = this.#files.openLog(pod, instance.container, instance.attempt);
      this.#open.set(instance.id, log);
    }
    log.write(stream, chunk, this.#clock.now().wallMs);
  }

  /**
   * Closes the log of an instance that has ended.
   * @throws {PodrunError} when the last lines cannot be written
   */
  close(instance: InstanceRef): void {
    const log = this.#open.get(instance.id);
    this.#open.delete(instance.id);
    log?.close();
  }
}
