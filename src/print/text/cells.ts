// Apart from tables: string-width takes 30 ms to load.

import stringWidth from 'string-width';

/** Texts in which each character takes one cell. */
const PRINTABLE_ASCII = /^[ -~]*$/;

/** The number of terminal cells of a text without escape sequences. */
export function cellsOf(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text);
}

/** Cuts a text to a number of cells, with a mark where it was cut. */
export function cutToCells(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text;
  if (cells <= 0) return '';
  if (PRINTABLE_ASCII.test(text)) return `${text.slice(0, cells - 1)}…`;
  let cut = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += stringWidth(segment);
    if (used > cells - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}
