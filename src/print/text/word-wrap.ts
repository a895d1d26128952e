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
