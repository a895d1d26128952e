import { goQuote } from '../../api/go/go-quote.ts';

/**
 * The first mistake that Go's JSON decoder finds in a text, in its words. podrun reads JSON with JSON.parse, whose
 * messages differ between engines. Source: encoding/json/scanner.go.
 */

const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };
const ESCAPES = '"\\/bfnrt';
const END = 'unexpected end of JSON input';
/** The depth of nested values. Go allows more, but nobody needs it. */
const DEPTH_MAX = 1000;

class SyntaxProblem extends Error {}

/** A position in the text. Each character of the text stands for one byte. */
interface Cursor {
  readonly text: string;
  at: number;
  depth: number;
}

/** @param bytes the text with one character for each byte, as Go reads it */
export function jsonObjectProblem(bytes: string): string | undefined {
  const cursor: Cursor = { text: bytes, at: 0, depth: 0 };
  try {
    const kind = skipValue(cursor);
    skipBlanks(cursor);
    if (cursor.at < bytes.length) fail(cursor, 'after top-level value');
    if (kind === 'object' || kind === 'null') return undefined;
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  } catch (error) {
    if (error instanceof SyntaxProblem) return error.message;
    throw error;
  }
}

function fail(cursor: Cursor, context: string): never {
  const char = cursor.text[cursor.at];
  if (char === undefined) throw new SyntaxProblem(END);
  const shown = char === "'" ? "\\'" : char === '"' ? '"' : goQuote(char).slice(1, -1);
  throw new SyntaxProblem(`invalid character '${shown}' ${context}`);
}

function skipBlanks(cursor: Cursor): void {
  while (' \t\r\n'.includes(cursor.text[cursor.at] ?? '-')) cursor.at += 1;
}

function skipValue(cursor: Cursor): string {
  skipBlanks(cursor);
  const char = cursor.text[cursor.at] ?? '';
  if (char === '{' || char === '[') return skipNested(cursor, char);
  if (char === '"') return skipString(cursor);
  const literal = LITERALS[char];
  if (literal !== undefined) return skipLiteral(cursor, literal);
  if (char === '-' || (char >= '0' && char <= '9')) return skipNumber(cursor);
  return fail(cursor, 'looking for beginning of value');
}

function skipNested(cursor: Cursor, opening: string): string {
  cursor.depth += 1;
  if (cursor.depth > DEPTH_MAX) throw new SyntaxProblem('exceeded max depth');
  const kind = opening === '{' ? skipObject(cursor) : skipArray(cursor);
  cursor.depth -= 1;
  return kind;
}

function skipObject(cursor: Cursor): string {
  cursor.at += 1;
  skipBlanks(cursor);
  if (cursor.text[cursor.at] === '}') {
    cursor.at += 1;
    return 'object';
  }
  for (;;) {
    skipBlanks(cursor);
    if (cursor.text[cursor.at] !== '"') fail(cursor, 'looking for beginning of object key string');
    skipString(cursor);
    skipBlanks(cursor);
    if (cursor.text[cursor.at] !== ':') fail(cursor, 'after object key');
    cursor.at += 1;
    skipValue(cursor);
    if (endsList(cursor, '}', 'after object key:value pair')) return 'object';
  }
}

function skipArray(cursor: Cursor): string {
  cursor.at += 1;
  skipBlanks(cursor);
  if (cursor.text[cursor.at] === ']') {
    cursor.at += 1;
    return 'array';
  }
  for (;;) {
    skipValue(cursor);
    if (endsList(cursor, ']', 'after array element')) return 'array';
  }
}

/** Skips a comma or the end of a list. Returns true at the end. */
function endsList(cursor: Cursor, end: string, context: string): boolean {
  skipBlanks(cursor);
  const char = cursor.text[cursor.at];
  if (char !== ',' && char !== end) fail(cursor, context);
  cursor.at += 1;
  return char === end;
}

function skipString(cursor: Cursor): string {
  cursor.at += 1;
  for (;;) {
    const char = cursor.text[cursor.at];
    if (char === undefined || char < ' ') fail(cursor, 'in string literal');
    cursor.at += 1;
    if (char === '"') return 'string';
    if (char === '\\') skipEscape(cursor);
  }
}

function skipEscape(cursor: Cursor): void {
  const char = cursor.text[cursor.at] ?? '';
  if (char !== 'u') {
    if (char === '' || !ESCAPES.includes(char)) fail(cursor, 'in string escape code');
    cursor.at += 1;
    return;
  }
  cursor.at += 1;
  for (let digits = 0; digits < 4; digits += 1) {
    if (!/[0-9a-fA-F]/.test(cursor.text[cursor.at] ?? '')) fail(cursor, 'in \\u hexadecimal character escape');
    cursor.at += 1;
  }
}

function skipLiteral(cursor: Cursor, literal: string): string {
  for (const expected of literal.slice(1)) {
    cursor.at += 1;
    if (cursor.text[cursor.at] !== expected) fail(cursor, `in literal ${literal} (expecting '${expected}')`);
  }
  cursor.at += 1;
  return literal === 'null' ? 'null' : 'bool';
}

function skipNumber(cursor: Cursor): string {
  if (cursor.text[cursor.at] === '-') cursor.at += 1;
  // A leading zero ends the integer.
  if (cursor.text[cursor.at] === '0') cursor.at += 1;
  else skipDigits(cursor, 'in numeric literal');
  if (cursor.text[cursor.at] === '.') {
    cursor.at += 1;
    skipDigits(cursor, 'after decimal point in numeric literal');
  }
  if (/[eE]/.test(cursor.text[cursor.at] ?? '')) {
    cursor.at += 1;
    if (/[-+]/.test(cursor.text[cursor.at] ?? '')) cursor.at += 1;
    skipDigits(cursor, 'in exponent of numeric literal');
  }
  return 'number';
}

/** Skips digits, at least one. */
function skipDigits(cursor: Cursor, context: string): void {
  if (!/[0-9]/.test(cursor.text[cursor.at] ?? '')) fail(cursor, context);
  while (/[0-9]/.test(cursor.text[cursor.at] ?? '')) cursor.at += 1;
}
