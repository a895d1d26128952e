import { cellsOf } from '../../print/cells.ts';

/** A terminal, as far as a region of it needs it. */
export interface RegionTerminal {
  write(text: string): void;
  /** Columns and rows at this moment. */
  size(): readonly [columns: number, rows: number];
  /**
   * Where lines are wrapped because it has become narrower, the cursor goes down with them, also with those below it:
   * so does xterm.js, which takes the cursor for the end of everything.
   */
  readonly cursorFollowsWraps: boolean;
}

const ESC = '\u001B';
const SAVE_CURSOR = `${ESC}7`;
const RESTORE_CURSOR = `${ESC}8`;
const HIDE_CURSOR = `${ESC}[?25l`;
const SHOW_CURSOR = `${ESC}[?25h`;
/** A terminal that knows these shows what is between them at once; others take no notice. */
const BEGIN_UPDATE = `${ESC}[?2026h`;
const END_UPDATE = `${ESC}[?2026l`;
const INDEX = `${ESC}D`;
const PLAIN_STYLE = `${ESC}[0m`;
const ERASE_TO_END_OF_LINE = `${ESC}[K`;
const ERASE_BELOW = `${ESC}[J`;
const WHOLE_SCREEN_SCROLLS = `${ESC}[r`;

/**
 * The last rows of a terminal, kept apart from the rest by its scroll margins. The cursor stays above them, where lines
 * come and scroll as ever: whoever writes, also another process, cannot disturb the region, and lines are written
 * without drawing it anew. (A region that is drawn below the last line and erased before the next one, as most
 * libraries do it, is drawn once for each line, and spoilt by everybody else who writes.)
 */
export class BottomRegion {
  readonly #terminal: RegionTerminal;
  #lines: readonly string[] = [];
  #columns = 0;
  #rows = 0;

  constructor(terminal: RegionTerminal) {
    this.#terminal = terminal;
  }

  /** Shows these lines, each shorter than a line of the terminal. What is there already is not written again. */
  show(lines: readonly string[]): void {
    this.fit();
    const [, rows] = this.#terminal.size();
    const shown = lines.slice(0, Math.max(0, rows - 1));
    const isHigher = shown.length !== this.#lines.length;
    const top = rows - shown.length + 1;
    const changes = shown.flatMap((line, index) => {
      if (!isHigher && line === this.#lines[index]) return [];
      return [`${ESC}[${top + index};1H${PLAIN_STYLE}${line}${PLAIN_STYLE}${ERASE_TO_END_OF_LINE}`];
    });
    if (changes.length === 0 && !isHigher) return;
    const moved = isHigher ? this.#reserve(shown.length, rows) : '';
    const painted = changes.length === 0 ? '' : `${SAVE_CURSOR}${changes.join('')}${RESTORE_CURSOR}`;
    this.#lines = shown;
    this.#terminal.write(`${BEGIN_UPDATE}${moved}${painted}${END_UPDATE}`);
  }

  /** Gives the rows back: the terminal is as if they had never been taken. */
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
   * Must be called before anything is written: in a terminal that was given another size, what was drawn may be
   * anywhere below the cursor, wrapped to several rows or gone. All of that is erased, and drawn anew by `show`.
   */
  fit(): void {
    const [columns, rows] = this.#terminal.size();
    if (columns === this.#columns && rows === this.#rows) return;
    this.#columns = columns;
    this.#rows = rows;
    this.#forget(this.#terminal.cursorFollowsWraps ? this.#rowsAdded(columns) : 0);
  }

  /** @param excess by how many rows the cursor is too low */
  #forget(excess: number): void {
    if (this.#lines.length === 0) return;
    this.#lines = [];
    const up = excess === 0 ? '' : `${ESC}[${excess}A`;
    const margins = `${SAVE_CURSOR}${WHOLE_SCREEN_SCROLLS}${RESTORE_CURSOR}`;
    this.#terminal.write(`${margins}${up}${ERASE_BELOW}${SHOW_CURSOR}`);
  }

  /** How many rows more what was drawn takes in a terminal of so many columns. */
  #rowsAdded(columns: number): number {
    const rows = this.#lines.map((line) => Math.ceil(cellsOf(line) / Math.max(1, columns)));
    return rows.reduce((sum, count) => sum + Math.max(0, count - 1), 0);
  }

  /** Moves the margin, and with it what stands above when there is no room. */
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
