import { PodrunError } from '../../../api/index.ts';
import type { Clock } from '../../../clock.ts';
import type { OutputStream, RunningContainer } from '../../../runtime/index.ts';
import {
  type ExitMessage,
  type KeptContainer,
  type LaunchMessage,
  type LogTarget,
  withoutFunctions,
} from './protocol.ts';

/** A container that a keeper was asked to start, and its state. */
export interface Kept {
  readonly launch: LaunchMessage;
  readonly target: LogTarget;
  readonly log: KeptLog;
  running: RunningContainer | undefined;
  exit: ExitMessage | undefined;
  isSwept: boolean;
  /** True while the agent holds the output back. */
  isHeld: boolean;
  /** True when the agent gets the output. */
  isShown: boolean;
}

/** The state of a container that is about to be started. */
export function newKept(launch: LaunchMessage, target: LogTarget, log: KeptLog): Kept {
  return { launch, target, log, running: undefined, exit: undefined, isSwept: false, isHeld: false, isShown: true };
}

/** The message to an agent about a container, empty before its start. */
export function startedContainers({ launch, running, exit, isSwept }: Kept): KeptContainer[] {
  if (running === undefined) return [];
  return [{ id: launch.id, launch, running: withoutFunctions(running), exit, isSwept }];
}

/** The record of a container that has ended, without its arguments and variables, which may be secret. */
export function endedContainers(kept: Kept): KeptContainer[] {
  const { id, argv, cwd } = kept.launch;
  return startedContainers({ ...kept, launch: { id, argv: [argv[0]], env: {}, cwd, stdin: false } });
}

/** True when both ids, `POD-UID/CONTAINER/ATTEMPT`, name instances of one container. */
export function isSameContainer(one: string, other: string): boolean {
  return withoutAttempt(one) === withoutAttempt(other);
}

function withoutAttempt(id: string): string {
  return id.slice(0, id.lastIndexOf('/'));
}

/** An open log file. */
interface LogSink {
  write(stream: OutputStream, chunk: Buffer, wallMs: number): void;
  close(): void;
}

export interface KeptLogOptions {
  readonly clock: Clock;
  /**
   * Opens the log of an instance. Undefined: its Pod is gone.
   * @throws {PodrunError} when the log cannot be written
   */
  readonly openLog: (target: LogTarget) => LogSink | undefined;
  /** Called when output could not be written. */
  readonly onLoss: (target: LogTarget) => void;
}

/** The log of one instance, opened with its first output. Output that cannot be written is lost, and reported once. */
export class KeptLog {
  readonly #place: LogTarget;
  readonly #options: KeptLogOptions;
  readonly #onTrouble: (message: string) => void;
  #sink: LogSink | undefined;
  #isMute = false;
  #trouble = '';

  constructor(target: LogTarget, options: KeptLogOptions, onTrouble: (message: string) => void) {
    this.#place = target;
    this.#options = options;
    this.#onTrouble = onTrouble;
  }

  write(stream: OutputStream, chunk: Buffer): void {
    if (this.#isMute) return;
    this.#try(() => {
      this.#sink ??= this.#options.openLog(this.#place);
      if (this.#sink === undefined) this.#isMute = true;
      else this.#sink.write(stream, chunk, this.#options.clock.now().wallMs);
    });
  }

  close(): void {
    this.#try(() => this.#sink?.close());
    this.#sink = undefined;
  }

  /** Stops writing: another run may use the same file. */
  mute(): void {
    this.#isMute = true;
  }

  #try(write: () => void): void {
    try {
      write();
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      this.#options.onLoss(this.#place);
      if (this.#trouble !== error.message) this.#onTrouble(error.message);
      this.#trouble = error.message;
    }
  }
}
