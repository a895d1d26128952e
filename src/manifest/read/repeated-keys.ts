import type { SourceNode } from './source-node.ts';

/** A key that its map has had before. */
export interface RepeatedKey {
  readonly key: string;
  /** The path of the field: `spec.containers[0].image`. */
  readonly path: string;
  /** Index into the text of the document. */
  readonly offset: number;
}

/** The keys that are in a map twice or more, each of them once, in the order of the text. */
export function repeatedKeys(node: SourceNode): RepeatedKey[] {
  const repeated: RepeatedKey[] = [];
  addRepeated(node, '', repeated);
  return repeated;
}

function addRepeated(node: SourceNode, path: string, repeated: RepeatedKey[]): void {
  if (node.kind === 'scalar') return;
  if (node.kind === 'list') {
    for (const [index, item] of node.items.entries()) addRepeated(item, `${path}[${index}]`, repeated);
    return;
  }
  const times = new Map<string, number>();
  for (const { key, keyOffset, value } of node.entries) {
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    if (time !== 2 && value.kind === 'scalar') continue;
    const inner = path === '' ? key : `${path}.${key}`;
    if (time === 2) repeated.push({ key, path: inner, offset: keyOffset });
    addRepeated(value, inner, repeated);
  }
}
