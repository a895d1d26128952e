import { EXIT } from '../../api/errors.ts';
import { beginningOf } from '../../print/excerpt.ts';
import { escapeTerminal } from '../../print/table-row.ts';

/** A line of the terminal behind standard error that is written again and again, and taken away in the end. */
export class TransientLine {
  #isShown = false;
  readonly #onInterrupt = (): void => {
    this.close();
    process.exit(EXIT.interrupted);
  };

  /** Undefined where there is no terminal, or one that nobody can take a line back from. */
  static onTerminal(): TransientLine | undefined {
    const { isTTY, columns } = process.stderr;
    const isPlain = process.env['CI'] !== undefined || process.env['TERM'] === 'dumb';
    return isTTY && columns > 0 && !isPlain ? new TransientLine() : undefined;
  }

  /** The line is as wide as it may be without wrapping: then it could not be taken back. */
  show(text: string): void {
    if (!this.#isShown && process.listenerCount('SIGINT') === 0) process.once('SIGINT', this.#onInterrupt);
    this.#isShown = true;
    const line = escapeTerminal(text.replaceAll('\n', ' '));
    process.stderr.write(`\r\u001B[2K${beginningOf(line, Math.max(10, process.stderr.columns - 1))}`);
  }

  clear(): void {
    if (this.#isShown) process.stderr.write('\r\u001B[2K');
    this.#isShown = false;
  }

  close(): void {
    this.clear();
    process.off('SIGINT', this.#onInterrupt);
  }
}
