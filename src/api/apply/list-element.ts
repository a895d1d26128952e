import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { ListKey, Shape } from './shape.ts';

type ListShape = Extract<Shape, { readonly kind: 'keyed' }> | { readonly kind: 'set' };

/** The path element of a field. */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** The path element of an item. An item that lacks some of its keys is identified by the keys that it has. */
export function itemElement(shape: Shape, item: unknown): string {
  if (shape.kind !== 'keyed') return `v:${JSON.stringify(item)}`;
  const fields: JsonObject = isJsonObject(item) ? item : {};
  const pairs = shape.keys.flatMap((key) => {
    const value = valueOfKey(key, fields);
    return value === undefined ? [] : [[key.name, value] as const];
  });
  return `k:${JSON.stringify(Object.fromEntries(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1))))}`;
}

/** The path element of an item that lacks all keys of its list. */
export const UNKEYED = 'k:{}';

/** The value of a key of an item. */
function valueOfKey({ name, fallback }: ListKey, item: JsonObject): unknown {
  return item[name] ?? fallback;
}

/** The items of a list by element. A list may hold two of the same: the first counts. */
export function itemsByElement(shape: Shape, list: readonly unknown[]): Map<string, unknown> {
  return new Map([...allByElement(shape, list)].map(([element, items]) => [element, items[0]]));
}

/** All items of a list by element. */
export function allByElement(shape: Shape, list: readonly unknown[]): Map<string, unknown[]> {
  const items = new Map<string, unknown[]>();
  for (const item of list) {
    const element = itemElement(shape, item);
    const known = items.get(element);
    if (known === undefined) items.set(element, [item]);
    else known.push(item);
  }
  return items;
}

/** True for a list that is merged by item. */
export function isListShape(shape: Shape): shape is ListShape {
  return shape.kind === 'keyed' || shape.kind === 'set';
}

/** The shape of the items of a list. */
export function itemShape(shape: ListShape): Shape {
  return shape.kind === 'keyed' ? shape.item : { kind: 'leaf' };
}

/** A path as Kubernetes writes it: `.spec.containers[name="web"].image`. Source: fieldpath.Path.String. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join('');
}

function elementText(element: string): string {
  const rest = element.slice(2);
  switch (element.charAt(0)) {
    case 'f':
      return `.${rest}`;
    case 'k': {
      const keys = Object.entries(JSON.parse(rest) as JsonObject);
      return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`;
    }
    case 'v':
      return `[=${rest}]`;
    default:
      return `[${rest}]`;
  }
}
