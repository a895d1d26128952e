import { duplicate, type FieldError } from '../../../manifest/index.ts';
import { isJsonObject, type JsonObject } from '../../../api/index.ts';
import { childPath, fieldSchema, type SchemaProps } from '../base/schema.ts';

/**
 * The mistakes of lists that are sets or maps: two items with the same value or keys, and items without a key. Source:
 * apiextensions, pkg/apiserver/schema/listtype/validation.go.
 */
export function checkListTypes(schema: SchemaProps, value: unknown, at: string): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    const inner =
      items === undefined ? [] : value.flatMap((item: unknown, i) => checkListTypes(items, item, `${at}[${i}]`));
    return [...checkUnique(schema, value, at), ...inner];
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const known = fieldSchema(schema, name);
    return known === undefined ? [] : checkListTypes(known, field, childPath(at, name));
  });
}

function checkUnique(schema: SchemaProps, list: readonly unknown[], at: string): FieldError[] {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return [];
  const keys = type === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : undefined;
  const seen = new Set<string>();
  return list.flatMap((item, index) => {
    const path = `${at}[${index}]`;
    const fields: JsonObject = isJsonObject(item) ? item : {};
    const isDefault = (key: string): boolean => schema.items?.properties?.[key]?.default !== undefined;
    // The schema calls for its keys.
    if (keys?.some((key) => fields[key] === undefined && !isDefault(key)) === true) return [];
    const identity = keys === undefined ? item : Object.fromEntries(keys.map((key) => [key, fields[key]]));
    const text = JSON.stringify(identity);
    if (seen.has(text)) return [duplicate(path, identity)];
    seen.add(text);
    return [];
  });
}
