import { FloatLiteral, goQuote, unquoteGo } from '../../../api/index.ts';
import { TemplateError } from './nodes.ts';

type TokenType =
  | 'text'
  | 'open'
  | 'close'
  | 'field'
  | 'variable'
  | 'word'
  | 'dot'
  | 'number'
  | 'string'
  | 'character'
  | 'space'
  | 'end';

export interface Token {
  /** The type. For a sign it is the sign itself: `|`, `(`, `)`, `,`, `=`, `:=`. */
  readonly type: TokenType | '|' | '(' | ')' | ',' | '=' | ':=';
  readonly text: string;
  readonly at: number;
}

const PATTERNS: ReadonlyArray<readonly [type: TokenType, pattern: RegExp]> = [
  ['space', /[ \t\r\n]+/y],
  ['string', /"(?:\\.|[^"\\\n])*"|`[^`]*`/y],
  ['character', /'(?:\\.|[^'\\\n])+'/y],
  ['number', /[-+]?(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/y],
  ['field', /\.[\p{L}_][\p{L}\p{Nd}_]*/uy],
  ['dot', /\./y],
  ['variable', /\$[\p{L}\p{Nd}_]*/uy],
  ['word', /[\p{L}_][\p{L}\p{Nd}_]*/uy],
];

const SIGNS = [':=', '|', '(', ')', ',', '='] as const;

/**
 * Splits a Go template into tokens, without comments and without blanks that `{{-` and `-}}` trim.
 * Source: Go's text/template/parse/lex.go.
 * @throws {TemplateError}
 */
export function tokenize(template: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let isTrimmed = false;
  while (at < template.length) {
    const start = template.indexOf('{{', at);
    const open = start < 0 ? template.length : start;
    const trimsBefore = /^\{\{-[ \t\r\n]/.test(template.slice(open, open + 4));
    let text = template.slice(at, open);
    if (isTrimmed) text = text.trimStart();
    if (trimsBefore) text = text.trimEnd();
    if (text !== '') tokens.push({ type: 'text', text, at });
    if (start < 0) break;
    const action = readAction(template, open + (trimsBefore ? 3 : 2));
    if (action.tokens !== undefined) tokens.push({ type: 'open', text: '{{', at: open }, ...action.tokens);
    ({ at, isTrimmed } = action);
  }
  return [...tokens, { type: 'end', text: '', at: template.length }];
}

interface Action {
  /** Undefined for a comment. */
  readonly tokens: readonly Token[] | undefined;
  /** The offset after it. */
  readonly at: number;
  readonly isTrimmed: boolean;
}

function readAction(template: string, begin: number): Action {
  const comment = /[ \t\r\n]*\/\*/y;
  comment.lastIndex = begin;
  if (comment.test(template)) return readComment(template, comment.lastIndex);
  const tokens: Token[] = [];
  let depth = 0;
  let at = begin;
  for (;;) {
    const close = /(?:[ \t\r\n]-)?\}\}/y;
    close.lastIndex = at;
    const end = close.exec(template)?.[0];
    if (end !== undefined) {
      if (depth > 0) throw new ReadError('unclosed left paren', at);
      tokens.push({ type: 'close', text: '}}', at });
      return { tokens, at: at + end.length, isTrimmed: end.length > 2 };
    }
    const token = nextToken(template, at);
    if (token.type === '(') depth += 1;
    if (token.type === ')') depth -= 1;
    if (depth < 0) throw new ReadError('unexpected right paren', at);
    tokens.push(token);
    at += token.text.length;
  }
}

function readComment(template: string, begin: number): Action {
  const end = template.indexOf('*/', begin);
  if (end < 0) throw new ReadError('unclosed comment', begin);
  const close = /(?:[ \t\r\n]-)?\}\}/y;
  close.lastIndex = end + 2;
  const closing = close.exec(template)?.[0];
  if (closing === undefined) throw new ReadError('comment ends before closing delimiter', end);
  return { tokens: undefined, at: close.lastIndex, isTrimmed: closing.length > 2 };
}

function nextToken(template: string, at: number): Token {
  for (const [type, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const text = pattern.exec(template)?.[0];
    // The blank before `-}}` belongs to the trim marker.
    if (text !== undefined) return { type, text: isTrim(type, text, template, at) ? text.slice(0, -1) : text, at };
  }
  const sign = SIGNS.find((mark) => template.startsWith(mark, at));
  if (sign !== undefined) return { type: sign, text: sign, at };
  const character = template.charAt(at);
  if (character === '') throw new ReadError('unclosed action', at);
  if (character === '"') throw new ReadError('unterminated quoted string', at);
  if (character === '`') throw new ReadError('unterminated raw quoted string', at);
  if (character === "'") throw new ReadError('unterminated character constant', at);
  const code = (template.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const problem = character === ':' ? 'expected :=' : `bad character U+${code} '${character}'`;
  throw new ReadError(problem, at);
}

function isTrim(type: TokenType, text: string, template: string, at: number): boolean {
  return type === 'space' && text.length > 1 && template.startsWith('-}}', at + text.length);
}

/** A problem at a position of the template. The message names the line. */
export class ReadError extends TemplateError {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Quotes a token for messages. */
export function quotedToken({ type, text }: Token): string {
  if (type === 'end') return 'EOF';
  if (type === 'dot' || KEYWORDS.has(text)) return `<${text}>`;
  return text.length > 10 ? `${goQuote(text.slice(0, 10))}...` : goQuote(text);
}

/** Words that are no functions. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'nil',
  'range',
  'template',
  'with',
]);

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
