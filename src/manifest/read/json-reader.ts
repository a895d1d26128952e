import { checkCount, MAX_DEPTH, tooDeep } from './limits.ts';
import { type ListNode, type MapEntry, type MapNode, SourceError, type SourceNode } from './source-node.ts';
import { exactInteger } from './yaml-scalars.ts';

/**
 * Reads one or more JSON values. Unlike JSON.parse, keeps the position of each value, all digits of integers, and
 * repeated keys.
 * @throws SourceError when the text is no JSON, or too deep or too large
 */
export function readJson(text: string): SourceNode[] {
  const reader = new JsonReader(text);
  const values: SourceNode[] = [];
  while (!reader.atEnd()) values.push(reader.value(0));
  return values;
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const WORD = /true|false|null/y;

const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

const [TAB, LINE_FEED, CARRIAGE_RETURN, QUOTE, BACKSLASH] = [0x09, 0x0a, 0x0d, 0x22, 0x5c];
/** Characters below the space are controls, which a string has as escapes only. */
const SPACE = 0x20;

/** The digits of the longest integer that is kept exactly (64 bits). A longer one becomes a double. */
const MAX_INTEGER_DIGITS = 19;

class JsonReader {
  readonly #text: string;
  #at = 0;
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    this.#skipBlanks();
    return this.#at === this.#text.length;
  }

  value(depth: number): SourceNode {
    this.#skipBlanks();
    const offset = this.#at;
    this.#values += 1;
    checkCount(this.#values, offset);
    const start = this.#text[offset];
    if (start === '{' || start === '[') {
      if (depth >= MAX_DEPTH) throw tooDeep(offset);
      return start === '{' ? this.#map(offset, depth) : this.#list(offset, depth);
    }
    if (start === '"') {
      const text = this.#string();
      return { kind: 'scalar', offset, text, value: stringOf(text) };
    }
    const word = this.#take(WORD)?.[0];
    if (word !== undefined) return { kind: 'scalar', offset, text: word, value: WORDS[word] ?? null };
    return this.#number(offset);
  }

  #map(offset: number, depth: number): MapNode {
    const entries: MapEntry[] = [];
    this.#items('}', () => {
      const keyOffset = this.#at;
      const key = stringOf(this.#string());
      this.#expect(':');
      entries.push({ key, keyOffset, value: this.value(depth + 1) });
    });
    return { kind: 'map', offset, entries };
  }

  #list(offset: number, depth: number): ListNode {
    const items: SourceNode[] = [];
    this.#items(']', () => items.push(this.value(depth + 1)));
    return { kind: 'list', offset, items };
  }

  /** Reads the items between brackets, separated by commas. Starts at the opening bracket. */
  #items(close: string, readItem: () => void): void {
    this.#at += 1;
    this.#skipBlanks();
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return;
    }
    do {
      this.#skipBlanks();
      readItem();
      this.#skipBlanks();
    } while (this.#skip(','));
    this.#expect(close);
  }

  /** Reads a string. Returns its text as written, without quotes. */
  #string(): string {
    const text = this.#text;
    if (!this.#skip('"')) this.#refuse('a string');
    const start = this.#at;
    // No pattern for each string: an object may have tens of thousands.
    for (let code = text.charCodeAt(start); code !== QUOTE; code = text.charCodeAt(this.#at)) {
      if (code === BACKSLASH && this.#take(ESCAPE) !== undefined) continue;
      // At the end of the text, the code is no number.
      if (code === BACKSLASH || !(code >= SPACE)) this.#refuse('the end of the string');
      this.#at += 1;
    }
    this.#at += 1;
    return text.slice(start, this.#at - 1);
  }

  #number(offset: number): SourceNode {
    const [text, fraction, exponent] = this.#take(NUMBER) ?? this.#refuse('a value');
    const isInteger = fraction === undefined && exponent === undefined && text.length <= MAX_INTEGER_DIGITS + 1;
    const value = isInteger ? exactInteger(BigInt(text)) : Number(text);
    if (!Number.isFinite(Number(value))) throw new SourceError(`number ${text} is too large`, offset);
    return { kind: 'scalar', offset, text, value };
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return undefined;
    this.#at = pattern.lastIndex;
    return match;
  }

  #skip(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at += 1;
    return true;
  }

  #expect(char: string): void {
    this.#skipBlanks();
    if (!this.#skip(char)) this.#refuse(`"${char}"`);
  }

  #skipBlanks(): void {
    while (isBlank(this.#text.charCodeAt(this.#at))) this.#at += 1;
  }

  #refuse(expected: string): never {
    throw new SourceError(`invalid JSON: expected ${expected}`, this.#at);
  }
}

/** The value of a string as written. */
function stringOf(text: string): string {
  return text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;
}

/** True for a space, a tab and the characters of a line end. */
function isBlank(code: number): boolean {
  return code <= SPACE && (code === SPACE || code === LINE_FEED || code === TAB || code === CARRIAGE_RETURN);
}
