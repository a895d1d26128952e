/** A position in a file, line and column from 1. Columns count UTF-16 units, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The text of one document, with its first line in the file. Line ends are LF. */
export class SourceText {
  readonly text: string;
  readonly #firstLine: number;
  #lineStarts: number[] | undefined;

  /** @param firstLine the line of the file at which the text begins, from 1 */
  constructor(text: string, firstLine: number) {
    this.text = text;
    this.#firstLine = firstLine;
  }

  /** The position of the character at an index of `text`. */
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

  /** The text of a line of the file, without its line end. Empty for a line outside of this document. */
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

/** An unreadable text. The readers throw it; outside of them it is a value. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  /** The index of the wrong character. */
  readonly offset: number;
  /** A short phrase with advice. */
  readonly hint: string | undefined;

  /** @param message in the words of the Go library of kubectl, where it has any */
  constructor(message: string, offset: number, hint?: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}
