import { FloatLiteral, goQuote, unquoteGo } from '../../../api/index.ts';
import { ReadError, type Token } from './tokens.ts';

/**
 * The value of a number. Source: Go's text/template/parse/node.go newNumber.
 * @param next the character after it
 * @throws {ReadError}
 */
export function numberOf({ text, at }: Token, next: string): number | FloatLiteral {
  const digits = text.replaceAll('_', '');
  const isHex = /^[-+]?0[xX]/.test(digits);
  const size = Number(digits.replace(/^[-+]/, ''));
  const value = digits.startsWith('-') ? -size : size;
  if (Number.isNaN(value) || /[\p{L}\d.]/u.test(next)) {
    throw new ReadError(`bad number syntax: ${goQuote(text + next)}`, at);
  }
  return !isHex && /[.eE]/.test(digits) ? new FloatLiteral(value) : value;
}

/**
 * The value of a string in double quotes or backquotes.
 * @throws {ReadError}
 */
export function stringOf(token: Token): string {
  return token.text.startsWith('`') ? token.text.slice(1, -1) : unquoted(token, '"');
}

/**
 * The text between quotes, without escapes.
 * @throws {ReadError}
 */
export function unquoted({ text, at }: Token, quote: '"' | "'"): string {
  const value = unquoteGo(text.slice(1, -1), quote);
  if (value === undefined) throw new ReadError('invalid syntax', at);
  return value;
}
