import { type Alarm, machineClock } from '../../clock.ts';
import { newPace, pace, type Pace, type WaitPhrase } from '../../print/index.ts';
import type { Cli } from '../base/cli.ts';
import { WaitingLine } from './waiting-line.ts';

const TICK_MS = 1000;
/** The time below which work is not worth a line. */
const PATIENCE_MS = 500;

export interface ProgressOptions {
  readonly cli: Cli;
  /** The text of the wait; undefined while there is none. Called once a second. */
  readonly phrase: () => WaitPhrase | undefined;
  /** The time before the first line without a terminal. Undefined: no lines at all. */
  readonly quietMs: number | undefined;
  /** The time of the first call of `phrase`. Default: after a second. */
  readonly firstMs?: number;
}

/**
 * Shows on standard error what podrun waits for. On a terminal, in one line that is kept up to date and removed at the
 * end; in a log, in a line now and then.
 */
export class WaitProgress {
  readonly #options: ProgressOptions;
  readonly #line: WaitingLine | undefined;
  #pace: Pace;
  #alarm: Alarm | undefined;
  #isClosed = false;

  constructor(options: ProgressOptions) {
    const { cli, quietMs, firstMs = TICK_MS } = options;
    this.#options = options;
    this.#line = WaitingLine.onTerminal(cli);
    this.#pace = newPace(machineClock(cli.clock).now().monotonicMs, quietMs ?? 0);
    if (this.#line !== undefined || (quietMs !== undefined && !cli.isQuiet)) this.#plan(firstMs);
  }

  /** Stops the output. May be called twice. */
  close(): void {
    this.#isClosed = true;
    this.#alarm?.cancel();
    this.#line?.close();
  }

  #plan(afterMs: number): void {
    const clock = machineClock(this.#options.cli.clock);
    this.#alarm = clock.wakeAt(clock.now().monotonicMs + afterMs, () => {
      this.#show();
      if (!this.#isClosed) this.#plan(TICK_MS);
    });
  }

  #show(): void {
    const { cli } = this.#options;
    const phrase = this.#options.phrase();
    if (phrase === undefined) return this.#line?.hide();
    if (this.#line !== undefined) return this.#line.show(phrase.text);
    const { next, isDue } = pace(this.#pace, phrase, machineClock(cli.clock).now().monotonicMs);
    this.#pace = next;
    if (isDue) cli.stderr.write(`${phrase.text}\n`);
  }
}

/** Runs work. On a terminal, shows a line about work that takes longer than half a second. */
export async function withWaitingLine<T>(cli: Cli, text: string, work: () => T | Promise<T>): Promise<T> {
  const { clock } = cli;
  const startMs = clock.now().monotonicMs;
  const phrase = (): WaitPhrase => {
    const seconds = Math.floor((clock.now().monotonicMs - startMs) / 1000);
    return { text: seconds === 0 ? text : `${text} (${seconds}s)`, key: text };
  };
  const progress = new WaitProgress({ cli, quietMs: undefined, firstMs: PATIENCE_MS, phrase });
  try {
    return await work();
  } finally {
    progress.close();
  }
}
