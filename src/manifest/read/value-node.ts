import { isJsonObject } from '../../api/index.ts';
import { checkCount, MAX_DEPTH, tooDeep } from './limits.ts';
import type { JsonScalar, MapEntry, SourceNode } from './source-node.ts';

/**
 * The node of a plain value, as `readJson` reads it from the JSON of the value. Its offsets have the order of that
 * text, but are no indexes of it, and its strings are without escapes.
 * @throws SourceError when the value is too deep or too large
 */
export function nodeOf(value: unknown): SourceNode {
  return nodeAt(value, 0, { values: 0 });
}

function nodeAt(value: unknown, depth: number, count: { values: number }): SourceNode {
  const offset = count.values;
  count.values += 1;
  checkCount(count.values, offset);
  if (typeof value !== 'object' || value === null) {
    const scalar = scalarOf(value);
    return { kind: 'scalar', offset, text: String(scalar), value: scalar };
  }
  if (depth >= MAX_DEPTH) throw tooDeep(offset);
  if (!isJsonObject(value)) {
    const items = (value as readonly unknown[]).map((item) => nodeAt(item, depth + 1, count));
    return { kind: 'list', offset, items };
  }
  const entries: MapEntry[] = [];
  for (const key of Object.keys(value)) {
    const field = value[key];
    if (field !== undefined) entries.push({ key, keyOffset: count.values, value: nodeAt(field, depth + 1, count) });
  }
  return { kind: 'map', offset, entries };
}

/** JSON has no other scalars. */
function scalarOf(value: unknown): JsonScalar {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
