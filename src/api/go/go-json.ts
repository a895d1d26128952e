import { goQuote } from './go-quote.ts';

const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };
/** The depth of nested values. Go allows more, but no object needs it. */
const DEPTH_MAX = 1000;

class SyntaxProblem extends Error {}

/**
 * Parses JSON from outside of podrun.
 * @throws {SyntaxError} in the words of Go's JSON decoder: the messages of JSON.parse differ by the version of Node
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes);
  try {
    return JSON.parse(text.toString('utf8'));
  } catch (error) {
    const { problem } = scan(text.toString('latin1'));
    throw problem === undefined ? error : new SyntaxError(problem);
  }
}

/**
 * The first mistake that Go's JSON decoder finds in the text of an object, in its words.
 * @param bytes the text with one character for each byte, as Go reads it
 */
export function jsonObjectProblem(bytes: string): string | undefined {
  const { kind, problem } = scan(bytes);
  if (problem !== undefined || kind === 'object' || kind === 'null') return problem;
  return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
}

/** The kind of a value, or the first mistake in its text. Source: encoding/json/scanner.go. */
function scan(bytes: string): { readonly kind?: string; readonly problem?: string } {
  const scanner = new GoScanner(bytes);
  try {
    const kind = scanner.value();
    scanner.expect(/$/y, 'after top-level value');
    return { kind };
  } catch (error) {
    if (error instanceof SyntaxProblem) return { problem: error.message };
    throw error;
  }
}

/** Each method skips a part of the text. The methods for values return the kind of the value. */
class GoScanner {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): string {
    this.#take(/[ \t\r\n]*/y);
    const kind = this.#valueFrom(this.#text[this.#at] ?? '');
    this.#take(/[ \t\r\n]*/y);
    return kind;
  }

  #valueFrom(char: string): string {
    if (char === '{' || char === '[') return this.#nested(char);
    if (char === '"') return this.#string();
    const literal = LITERALS[char];
    return literal === undefined ? this.#number() : this.#word(literal);
  }

  /** @throws {SyntaxProblem} when the text does not continue with the pattern */
  expect(pattern: RegExp, context: string): string {
    const token = this.#take(pattern);
    if (token !== undefined) return token;
    const char = this.#text[this.#at];
    if (char === undefined) throw new SyntaxProblem('unexpected end of JSON input');
    const quoted = char === "'" ? "\\'" : char === '"' ? '"' : goQuote(char).slice(1, -1);
    throw new SyntaxProblem(`invalid character '${quoted}' ${context}`);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#text)?.[0];
    this.#at += token?.length ?? 0;
    return token;
  }

  #nested(opening: '{' | '['): string {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw new SyntaxProblem('exceeded max depth');
    const isObject = opening === '{';
    if (this.#take(isObject ? /\{[ \t\r\n]*\}/y : /\[[ \t\r\n]*\]/y) === undefined) {
      const [next, context] = isObject ? [/[,}]/y, 'after object key:value pair'] : [/[,\]]/y, 'after array element'];
      this.#at += 1;
      do {
        if (isObject) this.#key();
        this.value();
      } while (this.expect(next, context) === ',');
    }
    this.#depth -= 1;
    return isObject ? 'object' : 'array';
  }

  #key(): void {
    this.#take(/[ \t\r\n]*/y);
    this.expect(/(?=")/y, 'looking for beginning of object key string');
    this.#string();
    this.#take(/[ \t\r\n]*/y);
    this.expect(/:/y, 'after object key');
  }

  #string(): string {
    this.#at += 1;
    // oxlint-disable-next-line no-control-regex
    while (this.#take(/[^"\\\u0000-\u001f]*\\/y) !== undefined) {
      if (this.expect(/["\\/bfnrtu]/y, 'in string escape code') !== 'u') continue;
      for (let digit = 0; digit < 4; digit += 1) this.expect(/[0-9a-f]/iy, 'in \\u hexadecimal character escape');
    }
    // oxlint-disable-next-line no-control-regex
    this.#take(/[^"\\\u0000-\u001f]*/y);
    this.expect(/"/y, 'in string literal');
    return 'string';
  }

  #word(literal: string): string {
    this.#at += 1;
    for (const expected of literal.slice(1)) {
      this.expect(new RegExp(expected, 'y'), `in literal ${literal} (expecting '${expected}')`);
    }
    return literal === 'null' ? 'null' : 'bool';
  }

  #number(): string {
    this.expect(/(?=[-0-9])/y, 'looking for beginning of value');
    this.#take(/-/y);
    // A leading zero ends the integer.
    this.expect(/0|[1-9][0-9]*/y, 'in numeric literal');
    if (this.#take(/\./y) !== undefined) this.expect(/[0-9]+/y, 'after decimal point in numeric literal');
    if (this.#take(/e[-+]?/iy) !== undefined) this.expect(/[0-9]+/y, 'in exponent of numeric literal');
    return 'number';
  }
}
