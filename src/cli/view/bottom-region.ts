import { cellsOf } from '../../print/index.ts';

/** The functions of a terminal that a region needs. */
export interface RegionTerminal {
  write(text: string): void;
  /** The present number of columns and rows. */
  size(): readonly [columns: number, rows: number];
  /**
   * True when the cursor moves down as lines above and below it wrap in a narrower terminal. xterm.js does so, because
   * it takes the cursor for the end of the text.
   */
  readonly cursorFollowsWraps: boolean;
}

const ESC = '\u001B';
const SAVE_CURSOR = `${ESC}7`;
const RESTORE_CURSOR = `${ESC}8`;
const HIDE_CURSOR = `${ESC}[?25l`;
const SHOW_CURSOR = `${ESC}[?25h`;
/**
 * Begins a synchronized update: the terminal shows the text up to the end mark at once. Other terminals ignore the
 * marks.
 */
const BEGIN_UPDATE = `${ESC}[?2026h`;
const END_UPDATE = `${ESC}[?2026l`;
const INDEX = `${ESC}D`;
const PLAIN_STYLE = `${ESC}[0m`;
const ERASE_TO_END_OF_LINE = `${ESC}[K`;
const ERASE_BELOW = `${ESC}[J`;
const WHOLE_SCREEN_SCROLLS = `${ESC}[r`;

/**
 * The last rows of a terminal, which its scroll margins keep apart. The cursor stays above the region, where lines
 * scroll as usual. So podrun prints lines without drawing the region again, and output of another process does not
 * disturb it. (Most libraries draw a region below the last line and erase it before the next one.)
 */
export class BottomRegion {
  readonly #terminal: RegionTerminal;
  #lines: readonly string[] = [];
  #columns = 0;
  #rows = 0;

  constructor(terminal: RegionTerminal) {
    this.#terminal = terminal;
  }

  /** Shows these lines, each shorter than a row. Writes only changed lines. */
  show(lines: readonly string[]): void {
    this.fit();
    const [, rows] = this.#terminal.size();
    const fitting = lines.slice(0, Math.max(0, rows - 1));
    const isHigher = fitting.length !== this.#lines.length;
    const top = rows - fitting.length + 1;
    const changes = fitting.flatMap((line, index) => {
      if (!isHigher && line === this.#lines[index]) return [];
      return [`${ESC}[${top + index};1H${PLAIN_STYLE}${line}${PLAIN_STYLE}${ERASE_TO_END_OF_LINE}`];
    });
    if (changes.length === 0 && !isHigher) return;
    const moved = isHigher ? this.#reserve(fitting.length, rows) : '';
    const painted = changes.length === 0 ? '' : `${SAVE_CURSOR}${changes.join('')}${RESTORE_CURSOR}`;
    this.#lines = fitting;
    this.#terminal.write(`${BEGIN_UPDATE}${moved}${painted}${END_UPDATE}`);
  }

  /** Gives the rows back, and restores the terminal. */
  hide(): void {
    if (this.#lines.length === 0) return;
    this.fit();
    if (this.#lines.length === 0) return;
    const [, rows] = this.#terminal.size();
    const freed = this.#reserve(0, rows);
    this.#lines = [];
    this.#terminal.write(freed);
  }

  /**
   * Adapts to the size of the terminal. Call it before each write. After a change of size, the old region may be
   * anywhere below the cursor, wrapped or gone: erases all of that, and `show` draws it again.
   */
  fit(): void {
    const [columns, rows] = this.#terminal.size();
    if (columns === this.#columns && rows === this.#rows) return;
    this.#columns = columns;
    this.#rows = rows;
    this.#forget(this.#terminal.cursorFollowsWraps ? this.#rowsAdded(columns) : 0);
  }

  /** @param excess the number of rows that the cursor is too low */
  #forget(excess: number): void {
    if (this.#lines.length === 0) return;
    this.#lines = [];
    const up = excess === 0 ? '' : `${ESC}[${excess}A`;
    const margins = `${SAVE_CURSOR}${WHOLE_SCREEN_SCROLLS}${RESTORE_CURSOR}`;
    this.#terminal.write(`${margins}${up}${ERASE_BELOW}${SHOW_CURSOR}`);
  }

  /** The number of extra rows that the drawn lines take when they wrap at this width. */
  #rowsAdded(columns: number): number {
    const rows = this.#lines.map((line) => Math.ceil(cellsOf(line) / Math.max(1, columns)));
    return rows.reduce((sum, count) => sum + Math.max(0, count - 1), 0);
  }

  /** Moves the scroll margin. Scrolls the text above when there is no room. */
  #reserve(height: number, rows: number): string {
    const before = this.#lines.length;
    const more = height - before;
    const room = more > 0 ? `${INDEX.repeat(more)}${ESC}[${more}A` : '';
    const erased = before > 0 ? `${ESC}[${rows - before + 1};1H${PLAIN_STYLE}${ERASE_BELOW}` : '';
    const margin = height === 0 ? WHOLE_SCREEN_SCROLLS : `${ESC}[1;${rows - height}r`;
    const cursor = height === 0 ? SHOW_CURSOR : HIDE_CURSOR;
    return `${room}${SAVE_CURSOR}${erased}${margin}${RESTORE_CURSOR}${cursor}`;
  }
}
