import type * as YamlModule from 'yaml';
import type { Document, LineCounter, Node } from 'yaml';
import { EXIT, PodrunError } from '../../api/errors.ts';

type Yaml = typeof YamlModule;

/** The YAML text that a configuration is read from. */
export interface ConfigSource {
  /** How messages name the file. */
  readonly name: string;
  readonly document: Document;
  readonly lines: LineCounter;
  /** The parser, which is loaded only when there is something to parse. */
  readonly yaml: Yaml;
}

export type ConfigKind = 'map' | 'list' | 'text' | 'nothing';

/** A place in a configuration file, read strictly: everything that is wrong is said with file, line and column. */
export class ConfigNode {
  readonly kind: ConfigKind;
  readonly #source: ConfigSource;
  readonly #node: unknown;
  readonly #path: string;
  readonly #offset: number;
  readonly #keyOffset: number;

  /** @param place the path, as messages show it, and where the key of this node starts, or what it is in */
  constructor(source: ConfigSource, node: unknown, place: { path: string; keyOffset: number }) {
    const { yaml, document } = source;
    this.#source = source;
    this.#node = yaml.isAlias(node) ? node.resolve(document) : node;
    this.#path = place.path;
    this.#keyOffset = place.keyOffset;
    this.kind = kindOf(yaml, this.#node);
    // An empty value is nothing to point at.
    const isEmpty = yaml.isScalar(node) && node.value === null && node.source === '';
    this.#offset = isEmpty ? place.keyOffset : (startOf(source, node) ?? place.keyOffset);
    if (yaml.isAlias(node) && this.#node === undefined) this.fail(`there is no anchor &${node.source}`);
  }

  /** What is here cannot be used. @throws {PodrunError} always */
  fail(problem: string): never {
    return this.#failAt(this.#offset, problem);
  }

  /** The key of this node cannot be used. @throws {PodrunError} always */
  failAtKey(problem: string): never {
    return this.#failAt(this.#keyOffset, problem);
  }

  /** The fields of a map with a fixed set of keys; those that are absent or empty are not in the answer. */
  fields<K extends string>(allowed: readonly K[]): Partial<Record<K, ConfigNode>> {
    const found: Partial<Record<K, ConfigNode>> = {};
    for (const [key, value] of this.#children((key) => (this.#path === '' ? key : `${this.#path}.${key}`))) {
      const known = allowed.find((name) => name === key);
      if (known === undefined) return value.failAtKey(`unknown field, allowed are ${allowed.join(', ')}`);
      if (value.kind !== 'nothing') found[known] = value;
    }
    return found;
  }

  /** Keys and values of a map whose keys are free. */
  entries(): [string, ConfigNode][] {
    return this.#children((key) => `${this.#path}[${key}]`);
  }

  /** A text, or a number or boolean as it is written. */
  text(): string {
    if (this.kind !== 'text') return this.fail('must be a text');
    return textOf(this.#source.yaml, this.#node) ?? '';
  }

  /** A list of texts. */
  texts(): string[] {
    const { yaml } = this.#source;
    if (!yaml.isSeq(this.#node)) return this.fail('must be a list of texts');
    return this.#node.items.map((item, index) => {
      const place = { path: `${this.#path}[${index}]`, keyOffset: startOf(this.#source, item) ?? this.#offset };
      return new ConfigNode(this.#source, item, place).text();
    });
  }

  #children(pathOf: (key: string) => string): [string, ConfigNode][] {
    const { yaml } = this.#source;
    if (!yaml.isMap(this.#node)) return this.fail('must be a map');
    return this.#node.items.map((pair) => {
      const key = textOf(yaml, pair.key);
      if (key === undefined) return this.fail('every key must be a text');
      const keyOffset = startOf(this.#source, pair.key) ?? this.#offset;
      return [key, new ConfigNode(this.#source, pair.value, { path: pathOf(key), keyOffset })];
    });
  }

  #failAt(offset: number, problem: string): never {
    const subject = this.#path === '' ? '' : `${this.#path}: `;
    throw configError(this.#source, offset, `${subject}${problem}`);
  }
}

/** The error of a place in a configuration file. */
export function configError(
  source: Pick<ConfigSource, 'name' | 'lines'>,
  offset: number,
  problem: string,
  hint?: string,
): PodrunError {
  const { line, col } = source.lines.linePos(offset);
  return new PodrunError(`${source.name}:${line}:${col}: ${problem}`, { exitCode: EXIT.usage, hint });
}

function startOf({ yaml }: ConfigSource, node: unknown): number | undefined {
  return yaml.isNode(node) ? (node as Node).range?.[0] : undefined;
}

function kindOf(yaml: Yaml, node: unknown): ConfigKind {
  if (yaml.isMap(node)) return 'map';
  if (yaml.isSeq(node)) return 'list';
  return textOf(yaml, node) === undefined ? 'nothing' : 'text';
}

/** A scalar as it is written: `1.10` stays what it is. Undefined: it is none, or null. */
function textOf(yaml: Yaml, node: unknown): string | undefined {
  if (!yaml.isScalar(node) || node.value === null) return undefined;
  return typeof node.value === 'string' ? node.value : node.source;
}
