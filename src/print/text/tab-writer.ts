import { escapeTerminal } from './terminal-text.ts';

/** The widths of a table: each column has at least `minWidth`, and `padding` more than its widest cell. */
interface TabLayout {
  readonly minWidth: number;
  readonly padding: number;
  /** Keeps columns at least as wide as in earlier calls of `render`, so that rows of a watch stay aligned. */
  readonly rememberWidths: boolean;
}

/** The layout of `describe`. */
export const DESCRIBE_LAYOUT: TabLayout = { minWidth: 0, padding: 2, rememberWidths: false };

/** The layout of tables: `get`, `events`, `top`. */
export const TABLE_LAYOUT: TabLayout = { minWidth: 6, padding: 3, rememberWidths: true };

/**
 * Aligns text at elastic tab stops, as kubectl does. A tab ends a cell. The text after the last tab of a line is never
 * padded. Neighbouring lines with a k-th cell share the width of column k, and a line without one ends that block.
 * Source: Go's text/tabwriter and its fork github.com/liggitt/tabwriter.
 */
export class TabWriter {
  readonly #layout: TabLayout;
  /** The width of each column in the last render, if the layout remembers widths. */
  #floor: number[] = [];

  constructor(layout: TabLayout) {
    this.#layout = layout;
  }

  /** Aligns lines that end with a newline. Each call ends all column blocks. */
  render(text: string): string {
    const lines = text.split(/[\n\f]/).map((line) => line.split(/[\t\v]/));
    const aligned: string[] = [];
    this.#formatBlock(lines, [], aligned);
    return aligned.join('\n');
  }

  /** Formats lines whose first columns have the given widths. Finds the blocks of the next column. */
  #formatBlock(lines: readonly string[][], widths: readonly number[], out: string[]): void {
    const column = widths.length;
    let start = 0;
    while (start < lines.length) {
      if (!hasCell(lines[start], column)) {
        out.push(padCells(lines[start] ?? [], widths));
        start += 1;
        continue;
      }
      let end = start;
      while (hasCell(lines[end], column)) end += 1;
      const block = lines.slice(start, end);
      this.#formatBlock(block, [...widths, this.#widthOf(block, column)], out);
      start = end;
    }
  }

  #widthOf(block: readonly string[][], column: number): number {
    const { minWidth, padding, rememberWidths } = this.#layout;
    let width = Math.max(minWidth, rememberWidths ? (this.#floor[column] ?? 0) : 0);
    for (const line of block) width = Math.max(width, characters(line[column] ?? '') + padding);
    if (rememberWidths) this.#floor[column] = width;
    return width;
  }
}

/** True when the line has a cell in the column. The text after the last tab is not a cell. */
function hasCell(line: readonly string[] | undefined, column: number): boolean {
  return line !== undefined && column < line.length - 1;
}

function padCells(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => {
      const width = widths[column];
      return width === undefined ? cell : cell + ' '.repeat(Math.max(0, width - characters(cell)));
    })
    .join('');
}

/** The length in code points, like Go's count of runes. */
function characters(text: string): number {
  return Array.from(text).length;
}

/** Formats rows as lines for a TabWriter: tabs between the cells, so that the last column is never padded. */
export function renderRows(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(tableCell).join('\t')}\n`).join('');
}

/** A cell on one line: a text is cut at its first line break, with a mark. Source: cli-runtime, tableprinter.go. */
function tableCell(text: string): string {
  const end = text.search(/[\n\r\f]/);
  return escapeTerminal(end === -1 ? text : `${text.slice(0, end)}...`);
}
