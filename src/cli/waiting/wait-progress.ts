import type { Alarm, Clock } from '../../clock.ts';
import { newPace, pace, type Pace, type WaitPhrase } from '../../print/waits/progress-pace.ts';
import { preferences } from '../preferences.ts';
import { TransientLine } from './transient-line.ts';
import { printError } from '../standard-streams.ts';

const TICK_MS = 1000;

export interface ProgressOptions {
  readonly clock: Clock;
  /** What is being waited for now; undefined: nothing. Asked about once a second. */
  readonly phrase: () => WaitPhrase | undefined;
  /** Where there is no terminal, nothing is said before so long; undefined: nothing at all. */
  readonly quietMs: number | undefined;
}

/**
 * Says on standard error what is being waited for, as long as that goes on: in a line of a terminal that is always up
 * to date and leaves no trace, or now and then in a line of a log.
 */
export class WaitProgress {
  readonly #options: ProgressOptions;
  readonly #line = TransientLine.onTerminal();
  #pace: Pace;
  #alarm: Alarm | undefined;
  #isClosed = false;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#pace = newPace(options.clock.now().monotonicMs, options.quietMs ?? 0);
    const isAsked = this.#line !== undefined || options.quietMs !== undefined;
    if (isAsked && !preferences().isQuiet) this.#plan();
  }

  /** Makes room for something that is written on the terminal now. */
  clear(): void {
    this.#line?.clear();
  }

  /** May be called twice. */
  close(): void {
    this.#isClosed = true;
    this.#alarm?.cancel();
    this.#line?.close();
  }

  #plan(): void {
    this.#alarm = this.#options.clock.wakeAt(this.#options.clock.now().monotonicMs + TICK_MS, () => {
      this.#tell();
      if (!this.#isClosed) this.#plan();
    });
  }

  #tell(): void {
    const phrase = this.#options.phrase();
    if (phrase === undefined) return this.clear();
    if (this.#line !== undefined) return this.#line.show(phrase.text);
    const { next, isDue } = pace(this.#pace, phrase, this.#options.clock.now().monotonicMs);
    this.#pace = next;
    if (isDue) printError(`${phrase.text}\n`);
  }
}
