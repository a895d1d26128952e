import { fieldMap, isJsonObject } from '../base/json.ts';
import type { FieldSet } from './field-set.ts';
import { fieldElement, isListShape, itemElement, itemShape } from './list-element.ts';
import { LEAF, resolved, type Shape } from './shape.ts';

/**
 * Removes fields from an object. An object or list that loses all it has goes, too. Source:
 * sigs.k8s.io/structured-merge-diff, typed/remove.go.
 */
export function removeFields(shape: Shape, value: unknown, unwanted: FieldSet): unknown {
  if (unwanted.isEmpty) return value;
  const own = resolved(shape, value);
  if (own.kind === 'object' && isJsonObject(value)) {
    const fields = fieldMap(value);
    for (const [name, field] of fields) {
      const element = fieldElement(name);
      const rest = unwanted.has(element)
        ? undefined
        : removeFields(own.field(name) ?? LEAF, field, unwanted.below(element));
      if (rest === undefined) fields.delete(name);
      else fields.set(name, rest);
    }
    return fields.size === 0 ? undefined : Object.fromEntries(fields);
  }
  if (isListShape(own) && Array.isArray(value)) {
    const items = value.flatMap((item: unknown) => {
      const element = itemElement(own, item);
      if (unwanted.has(element)) return [];
      return [removeFields(itemShape(own), item, unwanted.below(element))];
    });
    return items.length === 0 ? undefined : items;
  }
  return undefined;
}
