import { EXIT } from '../../api/errors.ts';
import { excerpt } from '../../print/excerpt.ts';
import { escapeTerminal } from '../../print/terminal-text.ts';
import { isTerminal, printError, streamOf } from '../standard-streams.ts';

/** A line of the terminal behind standard error that is written again and again, and taken away in the end. */
export class TransientLine {
  /** Characters that stand there; undefined: nothing does. */
  #shown: number | undefined;
  readonly #onInterrupt = (): void => {
    this.close();
    process.exit(EXIT.interrupted);
  };

  /** Undefined where there is no terminal, or one that nobody can take a line back from. */
  static onTerminal(): TransientLine | undefined {
    const isPlain = process.env['CI'] !== undefined || process.env['TERM'] === 'dumb';
    return isTerminal('stderr') && !isPlain && streamOf('stderr').columns > 0 ? new TransientLine() : undefined;
  }

  /** The line is as wide as it may be without wrapping: then it could not be taken back. */
  show(text: string): void {
    if (this.#shown === undefined && process.listenerCount('SIGINT') === 0) process.once('SIGINT', this.#onInterrupt);
    const line = excerpt(escapeTerminal(text.replaceAll('\n', ' ')), Math.max(10, streamOf('stderr').columns - 1));
    printError(Buffer.from(`${this.#takeBack()}${line}`));
    this.#shown = line.length;
  }

  clear(): void {
    if (this.#shown !== undefined) printError(Buffer.from(this.#takeBack()));
    this.#shown = undefined;
  }

  /** A terminal that has become narrower since has wrapped the line. */
  #takeBack(): string {
    const rowsAbove = Math.max(0, Math.ceil((this.#shown ?? 0) / streamOf('stderr').columns) - 1);
    return `\r${rowsAbove === 0 ? '' : `\u001B[${rowsAbove}A`}\u001B[0J`;
  }

  close(): void {
    this.clear();
    process.off('SIGINT', this.#onInterrupt);
  }
}
