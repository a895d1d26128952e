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
export function repeatedKeys(node: SourceNode, path = ''): RepeatedKey[] {
  if (node.kind === 'scalar') return [];
  if (node.kind === 'list') return node.items.flatMap((item, index) => repeatedKeys(item, `${path}[${index}]`));
  const times = new Map<string, number>();
  return node.entries.flatMap(({ key, keyOffset, value }) => {
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    const inner = path === '' ? key : `${path}.${key}`;
    return [...(time === 2 ? [{ key, path: inner, offset: keyOffset }] : []), ...repeatedKeys(value, inner)];
  });
}
