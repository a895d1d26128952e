import { fieldsOf, isJsonObject, type KubeObject, ownValue, typeOfObject } from '../../api/index.ts';
import { isOmitted, parseType } from './fields.ts';

/** The object without the empty fields that Go does not write. Values of wrong types stay. */
export function withoutOmitted<T extends KubeObject>(object: T): T {
  const type = typeOfObject(object);
  return type === undefined ? object : (kept(object, type) as T);
}

function kept(value: unknown, type: string): unknown {
  const { container, base } = parseType(type);
  const fields = fieldsOf(base);
  if (fields === undefined) return value;
  if (container === 'list') return Array.isArray(value) ? value.map((item: unknown) => kept(item, base)) : value;
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  if (container === 'map') return Object.fromEntries(entries.map(([key, item]) => [key, kept(item, base)]));
  return Object.fromEntries(
    entries.flatMap(([name, inner]) => {
      const own = ownValue(fields, name);
      if (own === undefined) return [[name, inner]];
      return isOmitted(base, name, own, inner) ? [] : [[name, kept(inner, own)]];
    }),
  );
}
