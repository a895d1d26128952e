import { isJsonObject, type JsonObject, ownValue, setField } from '../base/json.ts';
import { elementsOf } from './field-set-of.ts';
import { isListShape, itemShape, itemsByElement } from './list-element.ts';
import { type FieldsShape, LEAF, resolved, type Shape } from './shape.ts';

/**
 * Merges an applied object into the live one: objects by field, lists as their shape says. What the applied object
 * leaves out stays. Source: sigs.k8s.io/structured-merge-diff, typed/merge.go.
 */
export function mergeFields(shape: Shape, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  if (live === undefined || live === null || applied === null) return applied;
  const own = resolved(shape, applied);
  if (own.kind === 'object' && isJsonObject(live)) {
    return mergeObject(own, live, applied as JsonObject);
  }
  if (isListShape(own) && Array.isArray(live)) return mergeList(own, live, applied as readonly unknown[]);
  return applied;
}

/** The live object itself when the applied one changes nothing: later steps see at once that both are the same. */
function mergeObject(shape: FieldsShape, live: JsonObject, applied: JsonObject): JsonObject {
  const changed: [string, unknown][] = [];
  for (const name of Object.keys(applied)) {
    const before = ownValue(live, name);
    const value = mergeFields(shape.field(name) ?? LEAF, before, applied[name]);
    if (value !== before) changed.push([name, value]);
  }
  if (changed.length === 0) return live;
  const merged = { ...live };
  for (const [name, value] of changed) setField(merged, name, value);
  return merged;
}

/**
 * Merges a list by item. The items of the applied list are in its order. All other items stay between their neighbours.
 */
function mergeList(shape: Shape, live: readonly unknown[], applied: readonly unknown[]): unknown[] {
  const [before, after] = [elementsOf(shape, live), elementsOf(shape, applied)];
  const [known, wanted] = [itemsByElement(shape, live), itemsByElement(shape, applied)];
  const shared = after.filter((element) => known.has(element));
  const merged: unknown[] = [];
  const done = new Set<string>();
  const take = (element: string): void => {
    done.add(element);
    const inner = isListShape(shape) ? itemShape(shape) : LEAF;
    merged.push(mergeFields(inner, known.get(element), wanted.get(element)));
    if (shared[0] === element) shared.shift();
  };
  for (let l = 0, r = 0; l < before.length || r < after.length;) {
    const [left, right] = [before[l], after[r]];
    if (left !== undefined && left === right) {
      take(left);
      l += 1;
      r += 1;
    } else if (left !== undefined && right !== undefined && wanted.has(left) && shared[0] !== left) {
      // The applied list has this item at another place.
      l += 1;
    } else if (left !== undefined && !wanted.has(left)) {
      merged.push(live[l]);
      l += 1;
    } else if (right !== undefined) {
      if (left !== undefined && done.has(left)) l += 1;
      take(right);
      r += 1;
    } else l += 1;
  }
  return merged;
}
