import type { Ora } from 'ora';
import type { Alarm, Clock } from '../../clock.ts';

const REFRESH_MS = 1000;

/**
 * The line at the bottom of a terminal that says what is being waited for. Elsewhere there is none. It is kept below
 * whatever else is written, and taken away without a trace.
 */
export class StatusLine {
  readonly #clock: Clock;
  readonly #text: () => string;
  #spinner: Ora | undefined;
  #alarm: Alarm | undefined;
  #isClosed = false;

  constructor(clock: Clock, text: () => string) {
    this.#clock = clock;
    this.#text = text;
    const isInteractive = process.stderr.isTTY && process.stdout.isTTY;
    if (isInteractive && hasWidth() && process.env['CI'] === undefined) void this.#open();
  }

  /** Something has changed. */
  refresh(): void {
    if (this.#spinner === undefined) return;
    if (!hasWidth()) return this.close();
    const { columns } = process.stderr;
    // A line that wraps cannot be taken back: the spinner takes two characters.
    this.#spinner.text = this.#text().slice(0, Math.max(10, columns - 4));
  }

  close(): void {
    this.#isClosed = true;
    this.#alarm?.cancel();
    this.#spinner?.stop();
    this.#spinner = undefined;
  }

  async #open(): Promise<void> {
    const { default: ora } = await import('ora');
    if (this.#isClosed || !hasWidth()) return;
    // Its way of reading the standard input would swallow Ctrl-C.
    this.#spinner = ora({ stream: process.stderr, discardStdin: false, hideCursor: true, text: this.#text() }).start();
    this.#tick();
  }

  /** Ages and countdowns move without anything happening. */
  #tick(): void {
    this.refresh();
    if (this.#isClosed) return;
    this.#alarm = this.#clock.wakeAt(this.#clock.now().monotonicMs + REFRESH_MS, () => this.#tick());
  }
}

/** In a terminal that nobody has given a size, a line takes endlessly many rows: ora would never return. */
function hasWidth(): boolean {
  return process.stderr.columns > 0;
}
