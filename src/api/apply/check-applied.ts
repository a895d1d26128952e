import { isJsonObject } from '../base/json.ts';
import { fieldElement, isListShape, itemElement, itemShape, pathText, valueOfKey } from './list-element.ts';
import type { Shape } from './shape.ts';

/**
 * The mistakes that keep an object from being applied: fields that the schema does not declare, items without keys, two
 * items with the same keys, values of the wrong kind. Source: structured-merge-diff, typed/validate.go.
 */
export function checkApplied(shape: Shape, value: unknown, at: readonly string[] = []): string[] {
  const complain = (text: string): string[] => [`${pathText(at)}: ${text}`];
  if (value === undefined || value === null) return [];
  if (shape.kind === 'object') {
    if (!isJsonObject(value)) return complain(`expected map, got &{${JSON.stringify(value)}}`);
    return Object.entries(value).flatMap(([name, field]) => {
      const path = [...at, fieldElement(name)];
      const inner = shape.field(name);
      return inner === undefined
        ? [`${pathText(path)}: field not declared in schema`]
        : checkApplied(inner, field, path);
    });
  }
  if (!isListShape(shape)) return [];
  if (!Array.isArray(value)) return complain(`expected list, got &{${JSON.stringify(value)}}`);
  const seen = new Set<string>();
  return value.flatMap((item: unknown) => {
    const element = itemElement(shape, item);
    const missing =
      shape.kind === 'keyed' && isJsonObject(item)
        ? shape.keys.find((key) => valueOfKey(key, item) === undefined)
        : undefined;
    if (missing !== undefined) {
      return complain(
        `element ${value.indexOf(item)}: associative list with keys has an element that omits key field ` +
          `${JSON.stringify(missing.name)} (and doesn't have default value)`,
      );
    }
    if (seen.has(element)) return complain(`duplicate entries for key ${pathText([element])}`);
    seen.add(element);
    return checkApplied(itemShape(shape), item, [...at, element]);
  });
}
