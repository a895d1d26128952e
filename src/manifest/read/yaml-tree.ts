import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Alias, Pair, ParsedNode, Scalar, YAMLMap } from 'yaml';
import { doubleQuotedValue } from './double-quoted.ts';
import { isExcessiveAliasing, MAX_DEPTH, TEXT_PER_NODE, tooDeep } from './limits.ts';
import { type JsonScalar, type MapEntry, type MapNode, SourceError, type SourceNode } from './source-node.ts';
import { resolvePlain, resolveTagged, ScalarError } from './yaml-scalars.ts';

/** The size and depth of a node with its aliases expanded. */
interface Extent {
  readonly size: number;
  readonly depth: number;
}

const LEAF: Extent = { size: 1, depth: 0 };

/** A placeholder for an anchor whose node is being read: an alias to it is a cycle. */
const UNFINISHED = Symbol('unfinished');

const MERGE_MESSAGE = 'yaml: map merge requires map or sequence of maps as the value';

/**
 * Converts the package's nodes to JSON values with positions: scalars by go-yaml's rules, aliases shared, maps merged.
 * Time and memory are proportional to the text, even with aliases.
 */
export class YamlTree {
  readonly #text: string;
  readonly #anchors = new Map<string, SourceNode | typeof UNFINISHED>();
  readonly #extents = new Map<SourceNode, Extent>();
  /** The number of nodes in the text. */
  #written = 0;
  /** The number of entries that merge keys copied. */
  #merged = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @throws SourceError */
  build(contents: ParsedNode | null): SourceNode {
    const root = this.#node(contents);
    this.#refuseBomb(this.#extent(root).size, root.offset);
    return root;
  }

  #node(node: ParsedNode | null): SourceNode {
    if (node === null) return { kind: 'scalar', value: null, text: '', offset: 0 };
    if (isAlias(node)) return this.#target(node);
    const { anchor } = node;
    if (anchor !== undefined) this.#anchors.set(anchor, UNFINISHED);
    const built = this.#unaliased(node);
    if (anchor !== undefined) this.#anchors.set(anchor, built);
    return built;
  }

  #unaliased(node: Exclude<ParsedNode, Alias.Parsed>): SourceNode {
    this.#written += 1;
    const [offset] = node.range;
    if (isScalar(node)) {
      const text = node.source;
      return this.#measured({ kind: 'scalar', offset, text, value: this.#scalarValue(node, offset) }, []);
    }
    if (isMap<ParsedNode, ParsedNode | null>(node)) return this.#map(node, offset);
    const items = node.items.map((item) => this.#node(item));
    return this.#measured({ kind: 'list', offset, items }, items);
  }

  #target(alias: Alias.Parsed): SourceNode {
    const [offset] = alias.range;
    const target = this.#anchors.get(alias.source);
    if (target === undefined) throw new SourceError(`yaml: unknown anchor '${alias.source}' referenced`, offset);
    if (target === UNFINISHED) throw new SourceError(`yaml: anchor '${alias.source}' value contains itself`, offset);
    return target;
  }

  #scalarValue(node: Scalar.Parsed, offset: number): JsonScalar {
    const { tag, type, source } = node;
    try {
      if (tag !== undefined && tag !== '!') return resolveTagged(tag, source);
      if (type === 'PLAIN' || tag === '!') return resolvePlain(source);
    } catch (error) {
      if (error instanceof ScalarError) throw new SourceError(error.message, offset);
      throw error;
    }
    const raw = this.#text.slice(offset, node.range[1]);
    if (type === 'QUOTE_DOUBLE') return raw.includes('\\') ? doubleQuotedValue(raw, offset) : source;
    // The last line of a block scalar has a line end only if one is written.
    const isCut = type !== 'QUOTE_SINGLE' && source.endsWith('\n') && !raw.endsWith('\n');
    return isCut ? source.slice(0, -1) : source;
  }

  #map(map: YAMLMap.Parsed, offset: number): MapNode {
    const entries: MapEntry[] = [];
    const bases: MapNode[] = [];
    for (const pair of map.items) {
      const value = this.#node(pair.value);
      if (isMergeKey(pair.key)) bases.push(...basesOf(pair, value));
      else entries.push({ ...this.#key(pair.key), value });
    }
    if (bases.length > 0) this.#merge(entries, bases);
    const node: MapNode = { kind: 'map', offset, entries };
    return this.#measured(
      node,
      entries.map(({ value }) => value),
    );
  }

  /** Adds the entries of the bases that the map itself lacks. Earlier bases win. */
  #merge(entries: MapEntry[], bases: readonly MapNode[]): void {
    const known = new Set(entries.map(({ key }) => key));
    for (const base of bases) {
      this.#merged += base.entries.length;
      this.#refuseBomb(this.#merged, base.offset);
      // The last of two equal keys wins.
      const inherited = new Map(base.entries.map((entry) => [entry.key, entry]));
      for (const [key, entry] of inherited) {
        if (!known.has(key)) entries.push(entry);
        known.add(key);
      }
    }
  }

  #key(node: ParsedNode): Pick<MapEntry, 'key' | 'keyOffset'> {
    const key = this.#node(node);
    const [keyOffset, keyEnd] = node.range;
    if (this.#text.slice(keyOffset, keyEnd).includes('\n') && key.kind === 'scalar') {
      throw new SourceError("yaml: could not find expected ':'", keyOffset, 'a key stands on one line');
    }
    if (key.kind !== 'scalar') throw new SourceError(`yaml: invalid map key: a ${key.kind} cannot be a key`, keyOffset);
    if (key.value !== null) return { key: String(key.value), keyOffset };
    throw new SourceError('unsupported map key of type: %!s(<nil>), key: <nil>', keyOffset, 'quote the key');
  }

  #measured<Node extends SourceNode>(node: Node, children: readonly SourceNode[]): Node {
    if (node.kind === 'scalar') {
      const more = Math.floor(node.text.length / TEXT_PER_NODE);
      this.#written += more;
      if (more > 0) this.#extents.set(node, { ...LEAF, size: LEAF.size + more });
      return node;
    }
    let size = 1;
    let depth = 0;
    for (const child of children) {
      const extent = this.#extent(child);
      size += extent.size;
      depth = Math.max(depth, extent.depth);
    }
    if (depth >= MAX_DEPTH) throw tooDeep(node.offset);
    this.#extents.set(node, { size, depth: depth + 1 });
    return node;
  }

  #extent(node: SourceNode): Extent {
    return this.#extents.get(node) ?? LEAF;
  }

  #refuseBomb(size: number, offset: number): void {
    if (!isExcessiveAliasing(size, this.#written)) return;
    throw new SourceError('yaml: document contains excessive aliasing', offset);
  }
}

function isMergeKey(key: ParsedNode): boolean {
  return isScalar(key) && key.source === '<<' && key.type === 'PLAIN' && key.tag === undefined;
}

/** The maps of a merge key: one, or a list of them. */
function basesOf(pair: Pair<ParsedNode, ParsedNode | null>, value: SourceNode): MapNode[] {
  const items = value.kind === 'list' && isSeq(pair.value) ? value.items : [value];
  return items.map((item) => {
    if (item.kind === 'map') return item;
    throw new SourceError(MERGE_MESSAGE, pair.key.range[0]);
  });
}
