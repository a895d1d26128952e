import { SourceError } from './source-node.ts';

/** Single-character escapes in double quotes, by YAML 1.1 and go-yaml: they include `\'`, but not `\/`. */
const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\u0007',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\u001b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
};

/** An escaped line end with the blanks and empty lines after it, another escape, or a line end with its blanks. */
const PIECE = /\\\n([ \t\n]*)|\\([^])([0-9a-fA-F]{0,8})|(?<![ \t])[ \t]*\n[ \t\n]*/g;

const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/**
 * Decodes a scalar in double quotes that has escapes.
 * @param raw the text with its quotes
 * @param offset offset of the opening quote, for messages
 * @throws SourceError for an unknown escape
 */
export function doubleQuotedValue(raw: string, offset: number): string {
  return raw.slice(1, -1).replaceAll(PIECE, (piece: string, joined, escape, hex, at: number): string => {
    if (typeof joined === 'string') return '\n'.repeat(lineEnds(joined));
    if (typeof escape === 'string') return unescape(escape, String(hex), offset + 1 + at);
    // One line end becomes a blank. Each further line end becomes a line feed.
    return '\n'.repeat(lineEnds(piece) - 1) || ' ';
  });
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function unescape(escape: string, following: string, offset: number): string {
  const digits = HEX_DIGITS[escape];
  if (digits === undefined) {
    const char = ESCAPES[escape];
    if (char === undefined) throw new SourceError('yaml: found unknown escape character', offset);
    return char + following;
  }
  if (following.length < digits) throw new SourceError('yaml: did not find expected hexdecimal number', offset);
  const code = Number.parseInt(following.slice(0, digits), 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10_ffff) {
    throw new SourceError('yaml: found invalid Unicode character escape code', offset);
  }
  return String.fromCodePoint(code) + following.slice(digits);
}
