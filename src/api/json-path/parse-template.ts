import { goQuote } from '../go/go-quote.ts';
import { unquoteGo } from '../go/go-unquote.ts';
import { type Bound, FloatLiteral, JsonPathError, type PathList, type PathNode } from './nodes.ts';

/**
 * Parses a template of kubectl's JSONPath: literal text, and expressions in braces. Accepts and rejects the same
 * templates as kubectl, with the same errors. Source: client-go/util/jsonpath/parser.go.
 * @throws {JsonPathError}
 */
export function parseTemplate(text: string): readonly PathNode[] {
  return new Parser(text).parse();
}

/** Parses one expression without its braces. */
function parseExpression(text: string): PathList {
  const [first] = parseTemplate(`{${text}}`);
  return first?.type === 'list' ? first : { type: 'list', nodes: [] };
}

class Parser {
  readonly #input: string;
  #at = 0;

  constructor(input: string) {
    this.#input = input;
  }

  parse(): readonly PathNode[] {
    const nodes: PathNode[] = [];
    while (this.#at < this.#input.length) {
      const brace = this.#input.indexOf('{', this.#at);
      const text = this.#input.slice(this.#at, brace < 0 ? undefined : brace);
      if (text !== '') nodes.push({ type: 'text', text });
      if (brace < 0) break;
      this.#at = brace + 1;
      nodes.push({ type: 'list', nodes: this.#expression() });
    }
    return nodes;
  }

  /** Parses up to the closing brace. */
  #expression(): PathNode[] {
    const nodes: PathNode[] = [];
    for (;;) {
      const rest = this.#input.slice(this.#at, this.#at + 3);
      const character = rest.charAt(0);
      if (character === '}') {
        this.#at += 1;
        return nodes;
      }
      if (rest === '[?(') nodes.push(this.#filter());
      else if (rest.startsWith('..')) nodes.push(...this.#recursive(nodes.at(-1)));
      else if (character === '' || character === '\n' || character === '\r') throw new JsonPathError('unclosed action');
      // The object itself needs no step.
      else if (' @$'.includes(character)) this.#at += 1;
      else if (character === '[') nodes.push(...this.#brackets());
      else if (character === '"' || character === "'") nodes.push(this.#quoted(character));
      else if (character === '.') nodes.push(this.#field());
      else if (/[-+\d]/.test(character)) nodes.push(this.#number());
      else if (/[\p{L}\p{Nd}_]/u.test(character)) nodes.push(this.#word());
      else throw new JsonPathError(`unrecognized character in action: ${unicodeName(this.#input, this.#at)}`);
    }
  }

  /** Takes the match of a sticky pattern. */
  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#input)?.[0] ?? '';
    this.#at += token.length;
    return token;
  }

  #recursive(before: PathNode | undefined): PathNode[] {
    if (before?.type === 'recursive') throw new JsonPathError('invalid multiple recursive descent');
    this.#at += 2;
    const recursive: PathNode = { type: 'recursive' };
    return /[\p{L}\p{Nd}_]/u.test(this.#input.charAt(this.#at)) ? [recursive, this.#fieldName()] : [recursive];
  }

  #field(): PathNode {
    this.#at += 1;
    return this.#fieldName();
  }

  #fieldName(): PathNode {
    const name = this.#take(/(?:\\[^]|[^ \t\r\n.,[\]$@{}\\])*/y);
    return name === '*' ? { type: 'wildcard' } : { type: 'field', name: name.replaceAll('\\', '') };
  }

  #word(): PathNode {
    const word = this.#take(/[^ \t\r\n.,[\]$@{}]*/y);
    if (word === 'true' || word === 'false') return { type: 'bool', value: word === 'true' };
    return { type: 'word', word };
  }

  #number(): PathNode {
    const text = this.#take(/[-+]?[.\d]*/y);
    if (/^[-+]?\d+$/.test(text)) return { type: 'number', value: Number(text) };
    if (/^[-+]?(\d+(\.\d*)?|\.\d+)$/.test(text)) return { type: 'number', value: new FloatLiteral(Number(text)) };
    throw new JsonPathError(`cannot parse number ${text}`);
  }

  #quoted(quote: string): PathNode {
    const begin = this.#at;
    for (;;) {
      this.#at += 1;
      const character = this.#input.charAt(this.#at);
      if (character === '' || character === '\n') throw new JsonPathError('unterminated quoted string');
      if (character === quote && this.#input.charAt(this.#at - 1) !== '\\') break;
    }
    this.#at += 1;
    const text = unquoteGo(this.#input.slice(begin + 1, this.#at - 1), quote);
    if (text !== undefined) return { type: 'text', text };
    throw new JsonPathError(`unquote string ${this.#input.slice(begin, this.#at)} error invalid syntax`);
  }

  #brackets(): readonly PathNode[] {
    const inside = this.#take(/\[[^\]\n]*\]/y);
    if (inside === '') throw new JsonPathError('unterminated array');
    const text = inside.slice(1, -1);
    const parts = text.split(',');
    if (parts.length > 1) {
      return [
        { type: 'union', lists: parts.map((part) => parseExpression(`[${part.replaceAll(/^ +|(?<! ) +$/g, '')}]`)) },
      ];
    }
    const key = /^'([^']*)'$/.exec(text)?.[1];
    return key === undefined ? [slice(text === '*' ? ':' : text)] : parseExpression(`.${key}`).nodes;
  }

  #filter(): PathNode {
    this.#at += 3;
    const text = this.#filterText();
    const [begin = '', left, operator] = /^([^!<>=]+)([!<>=]+)/.exec(text) ?? [];
    const right = text.slice(begin.length);
    if (left === undefined || operator === undefined || right === '') {
      return { type: 'filter', left: parseExpression(text), right: { type: 'list', nodes: [] }, operator: 'exists' };
    }
    return { type: 'filter', left: parseExpression(left), right: parseExpression(right), operator };
  }

  /**
   * Takes the text up to the first `)` outside of quotes. The first quote opens, and the next quote of its kind closes.
   */
  #filterText(): string {
    const begin = this.#at;
    let quote = '';
    let isClosed = false;
    for (; ; this.#at += 1) {
      const character = this.#input.charAt(this.#at);
      if (character === '' || character === '\n') throw new JsonPathError('unterminated filter');
      if (character === '"' || character === "'") {
        if (quote === '') quote = character;
        else if (character === quote && this.#input.charAt(this.#at - 1) !== '\\') isClosed = true;
      }
      if (character === ')' && (quote !== '') === isClosed) break;
    }
    const text = this.#input.slice(begin, this.#at);
    if (this.#input.charAt(this.#at + 1) !== ']') throw new JsonPathError('unclosed array expect ]');
    this.#at += 2;
    return text;
  }
}

/** `3`, `-1`, `0:2`, `::2`. */
function slice(text: string): PathNode {
  const match = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text);
  if (match === null) throw new JsonPathError(`invalid array index ${text}`);
  const [, from = '', to, step] = match;
  const begin = bound(from);
  // A single index is a slice of one.
  const end = to === undefined ? { value: (begin.value ?? 0) + 1, derived: true } : bound(to.slice(1));
  return { type: 'slice', from: begin, to: end, step: bound(step?.slice(1) ?? '') };
}

function bound(text: string): Bound {
  if (text === '-') throw new JsonPathError('array index - is not a number');
  return { value: text === '' ? undefined : Number(text) };
}

/** Names a character as Go's `%#U` does: `U+0023 '#'`. */
function unicodeName(text: string, at: number): string {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const isPrintable = goQuote(character) === `"${character}"` || character === '\\';
  return `U+${code}${isPrintable ? ` '${character}'` : ''}`;
}
