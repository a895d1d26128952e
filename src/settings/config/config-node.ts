import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type LineCounter } from 'yaml';
import { PodrunError } from '../../api/index.ts';

/** The YAML text that a configuration is read from. */
export interface ConfigSource {
  /** The name of the file in messages. */
  readonly name: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

export type ConfigKind = 'map' | 'list' | 'text' | 'nothing';

/** A node of a configuration file, read strictly: each error names file, line and column. */
export class ConfigNode {
  readonly kind: ConfigKind;
  readonly #source: ConfigSource;
  readonly #node: unknown;
  readonly #path: string;
  readonly #offset: number;
  readonly #keyOffset: number;

  /** @param place the path for messages, and the offset of the node's key or of its parent node */
  constructor(source: ConfigSource, node: unknown, place: { path: string; keyOffset: number }) {
    this.#source = source;
    this.#node = isAlias(node) ? node.resolve(source.document) : node;
    this.#path = place.path;
    this.#keyOffset = place.keyOffset;
    this.kind = kindOf(this.#node);
    // An empty value has no place of its own: errors point at its key.
    const isEmpty = isScalar(node) && node.value === null && node.source === '';
    this.#offset = isEmpty ? place.keyOffset : (startOf(node) ?? place.keyOffset);
    if (isAlias(node) && this.#node === undefined) this.fail(`there is no anchor &${node.source}`);
  }

  /** Fails at the value of this node. @throws {PodrunError} always */
  fail(problem: string): never {
    return this.#failAt(this.#offset, problem);
  }

  /** Fails at the key of this node. @throws {PodrunError} always */
  failAtKey(problem: string): never {
    return this.#failAt(this.#keyOffset, problem);
  }

  /** The fields of a map with a fixed set of keys, without fields that are absent or empty. */
  fields<K extends string>(allowed: readonly K[]): Partial<Record<K, ConfigNode>> {
    const nodes: Partial<Record<K, ConfigNode>> = {};
    for (const [key, value] of this.#children((key) => (this.#path === '' ? key : `${this.#path}.${key}`))) {
      const known = allowed.find((name) => name === key);
      if (known === undefined) return value.failAtKey(`unknown field, allowed are ${allowed.join(', ')}`);
      if (value.kind !== 'nothing') nodes[known] = value;
    }
    return nodes;
  }

  /** The keys and values of a map with free keys. */
  entries(): [string, ConfigNode][] {
    return this.#children((key) => `${this.#path}[${key}]`);
  }

  /** A text, or a number or boolean as written. */
  text(): string {
    if (this.kind !== 'text') return this.fail('must be a text');
    return textOf(this.#node) ?? '';
  }

  /** A list of texts. */
  texts(): string[] {
    return this.items('texts').map((item) => item.text());
  }

  /** The items of a list. @param what what they are, for the error about another node */
  items(what: string): ConfigNode[] {
    if (!isSeq(this.#node)) return this.fail(`must be a list of ${what}`);
    return this.#node.items.map((item, index) => {
      const place = { path: `${this.#path}[${index}]`, keyOffset: startOf(item) ?? this.#offset };
      return new ConfigNode(this.#source, item, place);
    });
  }

  #children(pathOf: (key: string) => string): [string, ConfigNode][] {
    if (!isMap(this.#node)) return this.fail('must be a map');
    return this.#node.items.map((pair) => {
      const key = textOf(pair.key);
      if (key === undefined) return this.fail('every key must be a text');
      const keyOffset = startOf(pair.key) ?? this.#offset;
      return [key, new ConfigNode(this.#source, pair.value, { path: pathOf(key), keyOffset })];
    });
  }

  #failAt(offset: number, problem: string): never {
    const subject = this.#path === '' ? '' : `${this.#path}: `;
    throw configError(this.#source, offset, `${subject}${problem}`);
  }
}

/** The error at a place in a configuration file. */
export function configError(
  source: Pick<ConfigSource, 'name' | 'lines'>,
  offset: number,
  problem: string,
  hint?: string,
): PodrunError {
  const { line, col } = source.lines.linePos(offset);
  const path = `${source.name}:${line}:${col}`;
  return new PodrunError('Usage', `${path}: ${problem}`, { path, hint });
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function kindOf(node: unknown): ConfigKind {
  if (isMap(node)) return 'map';
  if (isSeq(node)) return 'list';
  return textOf(node) === undefined ? 'nothing' : 'text';
}

/** A scalar as written: `1.10` stays `1.10`. Undefined: not a scalar, or null. */
function textOf(node: unknown): string | undefined {
  if (!isScalar(node) || node.value === null) return undefined;
  return typeof node.value === 'string' ? node.value : node.source;
}
