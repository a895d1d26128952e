import { PodrunError } from '../../../api/index.ts';
import type { Clock } from '../../../clock.ts';
import type { OutputStream } from '../../../runtime/index.ts';
import type { LogTarget } from './protocol.ts';

/** An open log file. */
export interface LogSink {
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
