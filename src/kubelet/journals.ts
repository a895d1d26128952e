import { formatTime, PodrunError, type StoredPod } from '../api/index.ts';
import type { Clock } from '../clock.ts';
import type { HookRun, ProbeAttempt } from '../lifecycle/index.ts';
import type { OutputStream, ProcessExit, RunningContainer } from '../runtime/index.ts';
import {
  appendToHookLog,
  appendToJournal,
  ContainerLog,
  type InstanceRef,
  Journal,
  logOutput,
  type PodFiles,
  type Store,
} from '../store/index.ts';
import { isStored } from '../apiserver/index.ts';
import type { HandlerOutput } from './hooks/handler-log.ts';

export interface JournalsOptions {
  readonly store: Store;
  readonly files: PodFiles;
  readonly clock: Clock;
  /** True when the runtime writes the logs of containers itself. */
  readonly runtimeWritesLogs?: boolean;
  /** True when the Pod's object was removed. */
  readonly isRemoved: (pod: StoredPod) => boolean;
  /** Called when a record could not be written or read. */
  readonly onTrouble: (error: PodrunError) => void;
}

/**
 * The logs and journals of running Pods. A failed write is reported, and the Pod keeps running: a lost log is better
 * than a container that podrun stops watching. Nothing is written about a Pod that was removed by force: it runs for a
 * moment more, when its record may already belong to the next Pod of that name.
 */
export class Journals {
  readonly #options: JournalsOptions;
  /** The open logs, by id of the instance: opened with its first output. */
  readonly #logs = new Map<string, ContainerLog>();
  /** By uid of the Pod; only Pods that were probed and have not ended. */
  readonly #probes = new Map<string, Journal>();

  constructor(options: JournalsOptions) {
    this.#options = options;
  }

  /** Records the process of an instance. */
  process(pod: StoredPod, instance: InstanceRef, running: RunningContainer): void {
    this.#write(pod, (files) => files.recordProcess(pod, instance, running));
  }

  output(pod: StoredPod, instance: InstanceRef, stream: OutputStream, chunk: Buffer): void {
    if (this.#options.runtimeWritesLogs === true) return;
    this.#write(pod, (files, wallMs) => {
      const log = this.#logs.get(instance.id) ?? new ContainerLog(files.log(pod, instance));
      this.#logs.set(instance.id, log);
      log.write(stream, chunk, wallMs);
    });
  }

  /** Closes the log of an instance that has ended, and records the resources that it has used. */
  exited(pod: StoredPod, instance: InstanceRef, { usage }: ProcessExit): void {
    this.#attempt(pod, () => this.#logs.get(instance.id)?.close());
    this.#logs.delete(instance.id);
    if (usage === undefined) return;
    this.#write(pod, (files, wallMs) => {
      const { container, attempt } = instance;
      const entry = { time: formatTime(wallMs), container, restartCount: attempt, ...usage };
      appendToJournal(files.paths(pod).usage, entry, wallMs);
    });
  }

  /** The last lines of the log of an instance, as they were written. */
  logTail(pod: StoredPod, instance: InstanceRef, lines: number): string {
    return this.#attempt(pod, () => logOutput(this.#options.files.log(pod, instance), lines).toString()) ?? '';
  }

  /** Records a finished attempt of a probe. */
  probed(pod: StoredPod, attempt: ProbeAttempt): void {
    this.#write(pod, (files, wallMs) => {
      const { uid } = pod.metadata;
      const journal = this.#probes.get(uid) ?? new Journal(files.paths(pod).probes);
      this.#probes.set(uid, journal);
      journal.append(attempt, wallMs);
    });
  }

  /** Records a hook that has returned or was cut short. */
  hooked(pod: StoredPod, run: HookRun): void {
    this.#write(pod, (files, wallMs) => appendToJournal(files.paths(pod).hooks, run, wallMs));
  }

  /** Logs output of a hook or probe: whole lines, or a note of podrun. */
  handlerOutput(pod: StoredPod, instance: InstanceRef, output: HandlerOutput): void {
    this.#write(pod, (files, wallMs) => appendToHookLog(files.hookLog(pod, instance), output, wallMs));
  }

  /** Closes the journal of the probes of a Pod that has ended. */
  close(pod: StoredPod): void {
    const { uid } = pod.metadata;
    this.#attempt(pod, () => this.#probes.get(uid)?.close());
    this.#probes.delete(uid);
  }

  #write(pod: StoredPod, use: (files: PodFiles, wallMs: number) => void): void {
    const { files, clock, isRemoved } = this.#options;
    if (!isRemoved(pod)) this.#attempt(pod, () => use(files, clock.now().wallMs));
  }

  #attempt<T>(pod: StoredPod, use: () => T): T | undefined {
    try {
      return use();
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      // A Pod that was removed by force has no record any more, and is being ended.
      if (isStored(this.#options.store, pod)) this.#options.onTrouble(error);
      return undefined;
    }
  }
}
