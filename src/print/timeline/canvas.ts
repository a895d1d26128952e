import type { Painter, Tone } from '../text/painter.ts';

/** One cell of a row. */
interface Cell {
  readonly text: string;
  readonly tone: Tone | undefined;
}

const EMPTY: Cell = { text: ' ', tone: undefined };

/** A row of characters on the time axis. Later drawings cover earlier ones. */
export class CanvasRow {
  readonly #cells: Cell[];
  readonly #lengthMs: number;

  /** @param lengthMs the time that the whole width represents */
  constructor(width: number, lengthMs: number) {
    this.#cells = Array.from({ length: width }, () => EMPTY);
    this.#lengthMs = lengthMs;
  }

  /** Draws a period, at least one cell wide. */
  fill(fromMs: number, toMs: number, text: string, tone: Tone | undefined): void {
    const [from, to] = [this.columnOf(fromMs), this.columnOf(toMs)];
    for (let column = from; column < Math.max(from + 1, to); column++) this.#cells[column] = { text, tone };
  }

  /** Draws a point in time. */
  mark(atMs: number, text: string, tone: Tone | undefined): void {
    this.#cells[this.columnOf(atMs)] = { text, tone };
  }

  columnOf(ms: number): number {
    const { length } = this.#cells;
    return Math.max(0, Math.min(length - 1, Math.floor((ms / this.#lengthMs) * length)));
  }

  /** Formats the row without empty cells at its end. Cells of one tone are painted together. */
  render(painter: Painter): string {
    const last = this.#cells.findLastIndex(({ text }) => text !== ' ');
    let line = '';
    for (let at = 0; at <= last;) {
      const tone = this.#cells[at]?.tone;
      let end = at;
      let run = '';
      while (end <= last && this.#cells[end]?.tone === tone) run += this.#cells[end++]?.text ?? '';
      line += tone === undefined ? run : painter.tone(tone, run);
      at = end;
    }
    return line;
  }
}
