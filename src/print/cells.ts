import stringWidth from 'string-width';

/** Each character takes one cell: most texts. */
const PRINTABLE_ASCII = /^[ -~]*$/;

/** How many cells of a terminal a text without escape sequences takes. */
export function cellsOf(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text);
}

/** The beginning of a text that takes at most so many cells; what was cut off is marked. */
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
