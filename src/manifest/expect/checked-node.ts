import { mostSimilar, parseDuration } from '../../api/index.ts';
import type { NumberRange } from '../../history/index.ts';
import { nodeTypeName, type SourceNode, type SourceText } from '../read/source-node.ts';

/** The mistakes in a file, each with its position: `FILE:LINE:COLUMN: PATH: …`. */
export type Mistakes = string[];

/** A file that is being read, and the mistakes found so far. */
export interface Reading {
  readonly file: string;
  readonly source: SourceText;
  readonly mistakes: Mistakes;
}

/** A value of a file that is read strictly. A mistake is recorded with its position and path, and reading continues. */
export class CheckedNode {
  readonly node: SourceNode;
  readonly path: string;
  readonly #reading: Reading;
  #hasUnknown = false;

  constructor(reading: Reading, node: SourceNode, path: string) {
    this.#reading = reading;
    this.node = node;
    this.path = path;
  }

  /** The position as `FILE:LINE`. */
  get place(): string {
    return `${this.#reading.file}:${this.#reading.source.positionAt(this.node.offset).line}`;
  }

  /** Records a mistake at this value or elsewhere. Returns undefined, as the value of a failed read. */
  wrong(problem: string, offset: number = this.node.offset, path: string = this.path): undefined {
    const { line, column } = this.#reading.source.positionAt(offset);
    const subject = path === '' ? '' : `${path}: `;
    this.#reading.mistakes.push(`${this.#reading.file}:${line}:${column}: ${subject}${problem}`);
    return undefined;
  }

  /** True when an unknown field was found. */
  get hasUnknown(): boolean {
    return this.#hasUnknown;
  }

  /** The fields of a map. Records unknown and repeated fields as mistakes. */
  fields<K extends string>(known: readonly K[]): Partial<Record<K, CheckedNode>> {
    const nodes: Partial<Record<K, CheckedNode>> = {};
    for (const { key, value, keyOffset } of this.#entries()) {
      const path = this.path === '' ? key : `${this.path}.${key}`;
      const field = known.find((name) => name === key);
      if (field === undefined) this.#unknown(key, known, { keyOffset, path });
      else if (nodes[field] !== undefined) this.wrong('is given twice', keyOffset, path);
      else nodes[field] = new CheckedNode(this.#reading, value, path);
    }
    return nodes;
  }

  #unknown(key: string, known: readonly string[], { keyOffset, path }: { keyOffset: number; path: string }): void {
    this.#hasUnknown = true;
    const meant = mostSimilar(key, known);
    const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${JSON.stringify(meant)}?`;
    this.wrong(`unknown field, ${hint}`, keyOffset, path);
  }

  /** The entries of a map with arbitrary keys. */
  entries(): Array<readonly [string, CheckedNode]> {
    return this.#entries().map(
      ({ key, value }) => [key, new CheckedNode(this.#reading, value, `${this.path}[${key}]`)] as const,
    );
  }

  #entries(): ReadonlyArray<{ readonly key: string; readonly keyOffset: number; readonly value: SourceNode }> {
    if (this.node.kind === 'map') return this.node.entries;
    this.wrong(`must be a map, not ${article(nodeTypeName(this.node))}`);
    return [];
  }

  items(): CheckedNode[] {
    if (this.node.kind === 'list') {
      return this.node.items.map((item, index) => new CheckedNode(this.#reading, item, `${this.path}[${index}]`));
    }
    this.wrong(`must be a list, not ${article(nodeTypeName(this.node))}`);
    return [];
  }

  /** A non-empty text, or a number as written. */
  text(): string | undefined {
    if (this.node.kind === 'scalar' && this.node.value !== null && this.node.text !== '') return this.node.text;
    return this.wrong(
      `must be a text, not ${nodeTypeName(this.node) === 'string' ? 'empty' : article(nodeTypeName(this.node))}`,
    );
  }

  /** A text out of a list. */
  word(words: readonly string[]): string | undefined {
    const text = this.text();
    if (text === undefined || words.includes(text)) return text;
    const meant = mostSimilar(text, words);
    const hint = meant === undefined ? `must be one of ${words.join(', ')}` : `did you mean ${JSON.stringify(meant)}?`;
    return this.wrong(`${JSON.stringify(text)} is unknown, ${hint}`);
  }

  /** A duration such as `5s`, in milliseconds. */
  duration(): number | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    try {
      return parseDuration(text);
    } catch {
      return this.wrong(`${JSON.stringify(text)} is no duration, write for example 500ms or 5s`);
    }
  }

  /** A range of numbers: `2`, `>=1`, `<=3`, `1-4`, or one of the words of `extra`. */
  range(extra: Readonly<Record<string, NumberRange>> = {}): NumberRange | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    if (Object.hasOwn(extra, text)) return extra[text];
    const [, sign = '', first = '', last] = /^(>=|<=|>|<)? ?(\d+)(?: ?- ?(\d+))?$/.exec(text) ?? [];
    if (first === '' || (sign !== '' && last !== undefined)) {
      const more = Object.keys(extra).map((word) => `, ${word}`);
      return this.wrong(`${JSON.stringify(text)} is no number, write for example 2, ">=1" or 1-4${more.join('')}`);
    }
    const number = Number(first);
    const ends: Readonly<Record<string, readonly [number, number]>> = {
      '': [number, Number(last ?? first)],
      '>=': [number, Number.POSITIVE_INFINITY],
      '>': [number + 1, Number.POSITIVE_INFINITY],
      '<=': [0, number],
      '<': [0, number - 1],
    };
    const [min, max] = ends[sign] ?? [number, number];
    return { min, max, text };
  }
}

function article(type: string): string {
  return type === 'object' ? 'an object' : `a ${type}`;
}
