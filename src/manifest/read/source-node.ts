import { setField } from '../../api/index.ts';

/** A position in a file, line and column from 1. Columns count UTF-16 units, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The text of one document, with its first line in the file. Line ends are LF. */
export class SourceText {
  readonly text: string;
  readonly #firstLine: number;
  #lineStarts: number[] | undefined;

  /** @param firstLine the line of the file at which the text begins, from 1 */
  constructor(text: string, firstLine: number) {
    this.text = text;
    this.#firstLine = firstLine;
  }

  /** The position of the character at an index of `text`. */
  positionAt(offset: number): Position {
    const starts = (this.#lineStarts ??= lineStartsOf(this.text));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: this.#firstLine + low, column: offset - (starts[low] ?? 0) + 1 };
  }

  /** The text of a line of the file, without its line end. Empty for a line outside of this document. */
  lineAt(line: number): string {
    const starts = (this.#lineStarts ??= lineStartsOf(this.text));
    const start = starts[line - this.#firstLine];
    return start === undefined ? '' : this.text.slice(start, starts[line - this.#firstLine + 1]).replace(/\n$/, '');
  }
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}

/** An unreadable text. The readers throw it; outside of them it is a value. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  /** The index of the wrong character. */
  readonly offset: number;
  /** A short phrase with advice. */
  readonly hint: string | undefined;

  /** @param message in the words of the Go library of kubectl, where it has any */
  constructor(message: string, offset: number, hint?: string) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

/**
 * A JSON value with its position: the result of reading YAML or JSON. Repeated keys are kept, and integers keep all
 * digits. An alias is the node that it refers to, so the tree may share branches.
 */
export type SourceNode = ScalarNode | ListNode | MapNode;

interface NodePosition {
  /** Index into the text of the document. */
  readonly offset: number;
}

export type JsonScalar = string | number | bigint | boolean | null;

export interface ScalarNode extends NodePosition {
  readonly kind: 'scalar';
  /** The value. An integer beyond 2^53 is a bigint, which keeps all digits. */
  readonly value: JsonScalar;
  /** The text as written, without quotes. */
  readonly text: string;
}

export interface ListNode extends NodePosition {
  readonly kind: 'list';
  readonly items: readonly SourceNode[];
}

export interface MapNode extends NodePosition {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: string;
  readonly keyOffset: number;
  readonly value: SourceNode;
}

/** The value of a key. The last of several equal keys wins, as in JSON.parse. */
export function entryValue(map: MapNode, key: string): SourceNode | undefined {
  return map.entries.findLast((entry) => entry.key === key)?.value;
}

/** Converts a node to plain JavaScript, like JSON.parse: all numbers are doubles, the last of equal keys wins. */
export function nodeValue(node: SourceNode): unknown {
  if (node.kind === 'scalar') return typeof node.value === 'bigint' ? Number(node.value) : node.value;
  if (node.kind === 'list') return node.items.map(nodeValue);
  const object: Record<string, unknown> = {};
  for (const { key, value } of node.entries) setField(object, key, nodeValue(value));
  return object;
}

/** The type of a node in messages. */
export function nodeTypeName(node: SourceNode): 'string' | 'number' | 'boolean' | 'null' | 'list' | 'object' {
  if (node.kind === 'list') return 'list';
  if (node.kind === 'map') return 'object';
  if (node.value === null) return 'null';
  if (typeof node.value === 'string') return 'string';
  return typeof node.value === 'boolean' ? 'boolean' : 'number';
}

/**
 * The offset of the value at a field path. For a missing value, the offset of its nearest parent.
 * @param path a path as in error messages: `spec.containers[0].resources.limits[memory]`; keys may contain dots
 */
export function locate(root: SourceNode, path: string): number {
  let node = root;
  let rest = path;
  while (rest !== '') {
    const step = node.kind === 'map' ? stepIntoMap(node, rest) : stepIntoList(node, rest);
    if (step === undefined) break;
    ({ node, rest } = step);
  }
  return node.offset;
}

interface NodeStep {
  readonly node: SourceNode;
  readonly rest: string;
}

function stepIntoMap(map: MapNode, path: string): NodeStep | undefined {
  let best: NodeStep | undefined;
  for (const { key, value } of map.entries) {
    // A key may contain dots: the longest matching key wins.
    for (const written of [key, `.${key}`, `[${key}]`]) {
      const rest = path.slice(written.length);
      if (!path.startsWith(written) || !/^(?:$|[.[])/.test(rest)) continue;
      if (best === undefined || rest.length <= best.rest.length) best = { node: value, rest };
    }
  }
  return best;
}

function stepIntoList(node: SourceNode, path: string): NodeStep | undefined {
  const match = /^\[(\d+)\]/.exec(path);
  if (node.kind !== 'list' || match === null) return undefined;
  const item = node.items[Number(match[1])];
  return item && { node: item, rest: path.slice(match[0].length) };
}
