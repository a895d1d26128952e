import type { Ora } from 'ora';
import { EXIT } from '../../api/errors.ts';
import { excerpt } from '../../print/text/excerpt.ts';
import { escapeTerminal } from '../../print/text/terminal-text.ts';
import { preferences } from '../preferences.ts';
import { isTerminal, streamOf } from '../standard-streams.ts';

/**
 * The columns of the spinner, of the blank behind it, and the last column: a terminal may wrap a line that fills it.
 */
const OTHER_COLUMNS = 3;

/**
 * A spinner on standard error, and a text about the wait. The line is removed at the end. Output of podrun appears
 * above it.
 */
export class WaitingLine {
  #spinner: Ora | undefined;
  #isLoaded = false;
  /** Undefined while nothing is shown. */
  #text: string | undefined;
  readonly #onInterrupt = (): void => {
    this.close();
    process.exit(EXIT.interrupted);
  };

  /**
   * Makes a line. Undefined with --quiet, in a log of CI, and where standard error is no terminal that can erase a
   * line.
   */
  static onTerminal(): WaitingLine | undefined {
    const isPlain = process.env['CI'] !== undefined || process.env['TERM'] === 'dumb' || preferences().isQuiet;
    return !isPlain && isTerminal('stderr') && streamOf('stderr').columns > 0 ? new WaitingLine() : undefined;
  }

  /** Shows the text, cut to one row. */
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

  /** Removes the line. May be called twice. */
  close(): void {
    this.hide();
    process.off('SIGINT', this.#onInterrupt);
  }

  /** Loads ora with the first text: most commands never wait. */
  async #load(): Promise<void> {
    this.#isLoaded = true;
    const { default: ora } = await import('ora');
    // ora moves its line for writes to a stream of Node, but not for writes to the descriptor.
    if (isTerminal('stdout')) streamOf('stdout');
    // Standard input belongs to the next command. A hidden cursor would stay hidden when podrun is killed.
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
