import type { TerminalSize } from '../../../runtime/base/runtime.ts';

/** The longest text of one size: `{"Width":65535,"Height":65535}`. */
const TEXT_BYTES_MAX = 256;

/** Joins the pieces of a channel into the sizes of a terminal: JSON objects without nesting, one after the other. */
export class TerminalSizes {
  #rest = '';

  /** Drops texts that are no sizes. */
  read(piece: Buffer): TerminalSize[] {
    const parts = (this.#rest + piece.toString('latin1')).split('}');
    this.#rest = (parts.pop() ?? '').slice(-TEXT_BYTES_MAX);
    return parts.flatMap((part) => sizeIn(`${part}}`));
  }
}

function sizeIn(text: string): TerminalSize[] {
  try {
    const { Width: columns, Height: rows } = JSON.parse(text) as {
      readonly Width?: unknown;
      readonly Height?: unknown;
    };
    return typeof columns === 'number' && typeof rows === 'number' ? [{ columns, rows }] : [];
  } catch {
    return [];
  }
}
