import type { Ora } from 'ora';
import { EXIT } from '../../api/errors.ts';
import { excerpt } from '../../print/excerpt.ts';
import { escapeTerminal } from '../../print/terminal-text.ts';
import { preferences } from '../preferences.ts';
import { isTerminal, streamOf } from '../standard-streams.ts';

/** The spinner, the blank behind it, and the last column: a terminal may wrap a line that fills it. */
const OTHER_COLUMNS = 3;

/**
 * A spinner on the terminal behind standard error, and what podrun waits for. It goes away without a trace. What podrun
 * prints meanwhile comes above it.
 */
export class WaitingLine {
  #spinner: Ora | undefined;
  #isLoaded = false;
  /** Undefined: nothing is shown. */
  #text: string | undefined;
  readonly #onInterrupt = (): void => {
    this.close();
    process.exit(EXIT.interrupted);
  };

  /** Undefined with --quiet, in a log of CI, and where standard error is no terminal that can remove a line. */
  static onTerminal(): WaitingLine | undefined {
    const isPlain = process.env['CI'] !== undefined || process.env['TERM'] === 'dumb' || preferences().isQuiet;
    return !isPlain && isTerminal('stderr') && streamOf('stderr').columns > 0 ? new WaitingLine() : undefined;
  }

  /** Shows the text, as much of it as one row holds. */
  show(text: string): void {
    const columns = Math.max(10, streamOf('stderr').columns - OTHER_COLUMNS);
    this.#text = excerpt(escapeTerminal(text.replaceAll('\n', ' ')), columns);
    if (!this.#isLoaded) void this.#load();
    this.#update();
  }

  hide(): void {
    this.#text = undefined;
    this.#update();
  }

  /** May be called twice. */
  close(): void {
    this.hide();
    process.off('SIGINT', this.#onInterrupt);
  }

  /** Most commands never wait: ora is loaded for the first text. */
  async #load(): Promise<void> {
    this.#isLoaded = true;
    const { default: ora } = await import('ora');
    // ora makes way for what is written to a stream of Node's, not for what is written to its descriptor.
    if (isTerminal('stdout')) streamOf('stdout');
    // Standard input belongs to the next command, and a hidden cursor would stay hidden when podrun is killed.
    const quietly = { discardStdin: false, hideCursor: false, color: false } as const;
    this.#spinner = ora({ ...quietly, stream: streamOf('stderr'), isEnabled: true });
    this.#update();
  }

  #update(): void {
    const spinner = this.#spinner;
    if (spinner === undefined) return;
    if (this.#text === undefined) {
      if (spinner.isSpinning) spinner.stop();
      return;
    }
    if (process.listenerCount('SIGINT') === 0) process.once('SIGINT', this.#onInterrupt);
    spinner.text = this.#text;
    spinner.start();
  }
}
