import { beginningOf } from './excerpt.ts';

/** A part of a text, with the arguments of `slice()`. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Breaks a text into lines between words. Cuts a word that is longer than a line.
 * @param first characters in the first line
 * @param rest characters in each further line
 */
export function breakLines(text: string, first: number, rest: number): TextRange[] {
  const lines: TextRange[] = [];
  let from = 0;
  let room = Math.max(2, first);
  while (text.length - from > room) {
    const blank = text.lastIndexOf(' ', from + room);
    // A word that does not fit a first line may fit the next.
    const cut = room < rest ? 0 : beginningOf(text.slice(from), room).length;
    const to = blank > from ? blank : from + cut;
    lines.push({ from, to });
    from = blank > from ? to + 1 : to;
    room = Math.max(2, rest);
  }
  return [...lines, { from, to: text.length }];
}
