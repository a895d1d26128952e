/** The length of a foreign text within a line of podrun. */
const MAX_CHARACTERS = 400;

/** The beginning of a text of any length. `describe`, events and logs have the whole text. */
export function excerpt(text: string, maxCharacters: number = MAX_CHARACTERS): string {
  return text.length <= maxCharacters ? text : `${beginningOf(text, maxCharacters - 1)}…`;
}

/** The first characters of a text. Does not split a surrogate pair. */
export function beginningOf(text: string, length: number): string {
  return text.slice(0, Math.max(0, length)).replace(/[\uD800-\uDBFF]$/, '');
}

/**
 * Breaks lines between words to a width. A longer word exceeds it. Line breaks and the indent of a line stay.
 * Source: github.com/mitchellh/go-wordwrap, which kubectl uses.
 */
export function wordWrap(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => wrappedLine(line, width))
    .join('\n');
}

function wrappedLine(line: string, width: number): string {
  let wrapped = '';
  let column = 0;
  for (const [piece, word = ''] of line.matchAll(/\s*(\S*)/g)) {
    if (piece === '') break;
    const isTooLong = column > 0 && column + piece.length > width;
    wrapped += isTooLong ? `\n${word}` : piece;
    column = isTooLong ? word.length : column + piece.length;
  }
  return wrapped;
}
