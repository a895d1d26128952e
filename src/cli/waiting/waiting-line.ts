import type { Ora } from 'ora';
import { inBackground } from '../../defects.ts';
import { EXIT } from '../../api/index.ts';
import { escapeTerminal, excerpt } from '../../print/index.ts';
import type { Cli } from '../base/cli.ts';

/**
 * The columns of the spinner, of the blank behind it, and the last column: a terminal may wrap a line that fills it.
 */
const OTHER_COLUMNS = 3;

/**
 * A spinner on standard error, and a text about the wait. The line is removed at the end. Output of podrun appears
 * above it.
 */
export class WaitingLine {
  readonly #terminal: NodeJS.WriteStream;
  readonly #stdout: Cli['stdout'];
  #spinner: Ora | undefined;
  #isLoaded = false;
  /** Undefined while nothing is shown. */
  #text: string | undefined;
  readonly #onInterrupt = (): void => {
    this.close();
    process.exit(EXIT.interrupted);
  };

  private constructor(terminal: NodeJS.WriteStream, stdout: Cli['stdout']) {
    this.#terminal = terminal;
    this.#stdout = stdout;
  }

  /**
   * Makes a line. Undefined with --quiet, in a log of CI, and where standard error is no terminal that can erase a
   * line.
   */
  static onTerminal({ env, isQuiet, stdout, stderr }: Cli): WaitingLine | undefined {
    const isPlain = env['CI'] !== undefined || env['TERM'] === 'dumb' || isQuiet;
    const terminal = isPlain ? undefined : stderr.terminal;
    return terminal !== undefined && terminal.columns > 0 ? new WaitingLine(terminal, stdout) : undefined;
  }

  /** Shows the text, cut to one row. */
  show(text: string): void {
    const columns = Math.max(10, this.#terminal.columns - OTHER_COLUMNS);
    this.#text = excerpt(escapeTerminal(text.replaceAll('\n', ' ')), columns);
    if (!this.#isLoaded) inBackground(this.#load());
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
    if (this.#stdout.isTerminal) this.#stdout.open();
    // Standard input belongs to the next command. A hidden cursor would stay hidden when podrun is killed.
    const quietly = { discardStdin: false, hideCursor: false, color: false } as const;
    this.#spinner = ora({ ...quietly, stream: this.#terminal, isEnabled: true });
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
