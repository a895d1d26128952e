/** A place in a file, both from 1; columns count UTF-16 units, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The text of one document and where in its file it stands. Line ends are LF. */
export class SourceText {
  readonly text: string;
  readonly #firstLine: number;
  #lineStarts: number[] | undefined;

  /** @param firstLine the line of the file that the text begins with, from 1 */
  constructor(text: string, firstLine: number) {
    this.text = text;
    this.#firstLine = firstLine;
  }

  /** The place of a character, given by its index in `text`. */
  positionAt(offset: number): Position {
    const starts = (this.#lineStarts ??= lineStartsOf(this.text));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: this.#firstLine + low, column: offset - (starts[low] ?? 0) + 1 };
  }

  /** The text of a line of the file, without its end; empty for a line that is not in this document. */
  lineAt(line: number): string {
    const starts = (this.#lineStarts ??= lineStartsOf(this.text));
    const start = starts[line - this.#firstLine];
    return start === undefined ? '' : this.text.slice(start, starts[line - this.#firstLine + 1]).replace(/\n$/, '');
  }
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}

/** A text that cannot be read. Thrown inside the readers, a value outside of them. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  /** Index of the character that is wrong. */
  readonly offset: number;
  /** What to do, a short phrase. */
  readonly hint: string | undefined;

  /** @param message in the words of the Go library behind kubectl where it has any */
  constructor(message: string, offset: number, hint?: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}
