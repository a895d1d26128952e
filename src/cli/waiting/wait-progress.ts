import type { Alarm, Clock } from '../../clock.ts';
import { newPace, pace, type Pace, type WaitPhrase } from '../../print/waits/progress-pace.ts';
import { preferences } from '../preferences.ts';
import { printError } from '../standard-streams.ts';
import { WaitingLine } from './waiting-line.ts';

const TICK_MS = 1000;
/** Work that takes no longer is not worth a line. */
const PATIENCE_MS = 500;

export interface ProgressOptions {
  readonly clock: Clock;
  /** What is being waited for now; undefined: nothing. Asked about once a second. */
  readonly phrase: () => WaitPhrase | undefined;
  /** Where there is no terminal, nothing is said before so long; undefined: nothing at all. */
  readonly quietMs: number | undefined;
  /** When the phrase is asked for the first time. Default: after a second. */
  readonly firstMs?: number;
}

/**
 * Says on standard error what is being waited for, as long as that goes on: in a line of a terminal that is always up
 * to date and leaves no trace, or now and then in a line of a log.
 */
export class WaitProgress {
  readonly #options: ProgressOptions;
  readonly #line = WaitingLine.onTerminal();
  #pace: Pace;
  #alarm: Alarm | undefined;
  #isClosed = false;

  constructor(options: ProgressOptions) {
    const { clock, quietMs, firstMs = TICK_MS } = options;
    this.#options = options;
    this.#pace = newPace(clock.now().monotonicMs, quietMs ?? 0);
    if (this.#line !== undefined || (quietMs !== undefined && !preferences().isQuiet)) this.#plan(firstMs);
  }

  /** May be called twice. */
  close(): void {
    this.#isClosed = true;
    this.#alarm?.cancel();
    this.#line?.close();
  }

  #plan(afterMs: number): void {
    this.#alarm = this.#options.clock.wakeAt(this.#options.clock.now().monotonicMs + afterMs, () => {
      this.#tell();
      if (!this.#isClosed) this.#plan(TICK_MS);
    });
  }

  #tell(): void {
    const phrase = this.#options.phrase();
    if (phrase === undefined) return this.#line?.hide();
    if (this.#line !== undefined) return this.#line.show(phrase.text);
    const { next, isDue } = pace(this.#pace, phrase, this.#options.clock.now().monotonicMs);
    this.#pace = next;
    if (isDue) printError(`${phrase.text}\n`);
  }
}

/** Does something. On a terminal, a line says what it is once that takes longer than half a second. */
export async function busyWith<T>(clock: Clock, text: string, work: () => T | Promise<T>): Promise<T> {
  const startMs = clock.now().monotonicMs;
  const phrase = (): WaitPhrase => {
    const seconds = Math.floor((clock.now().monotonicMs - startMs) / 1000);
    return { text: seconds === 0 ? text : `${text} (${seconds}s)`, key: text };
  };
  const progress = new WaitProgress({ clock, quietMs: undefined, firstMs: PATIENCE_MS, phrase });
  try {
    return await work();
  } finally {
    progress.close();
  }
}
