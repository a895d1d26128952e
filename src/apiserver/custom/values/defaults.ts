import { isJsonObject } from '../../../api/json.ts';
import { fieldSchema, type SchemaProps } from '../base/schema.ts';

/**
 * Sets the defaults of missing fields, from outside to inside: a default may contain fields with defaults. A null
 * counts as missing where the schema does not permit it. Source: apiextensions, pkg/apiserver/schema/defaulting.
 */
export function setDefaults(schema: SchemaProps, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item: unknown) => setDefaults(items, withoutNull(items, item)));
  }
  if (!isJsonObject(value)) return value;
  const fields = new Map(Object.entries(value));
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (field.default === undefined || !isMissing(field, fields.get(name))) continue;
    fields.set(name, structuredClone(field.default));
  }
  const entries = [...fields].map(([name, field]) => {
    const known = fieldSchema(schema, name);
    return [name, known === undefined ? field : setDefaults(known, field)] as const;
  });
  return Object.fromEntries(entries);
}

function isMissing({ nullable }: SchemaProps, value: unknown): boolean {
  return value === undefined || (value === null && nullable !== true);
}

function withoutNull(schema: SchemaProps, value: unknown): unknown {
  return value === null && schema.nullable !== true && schema.default !== undefined
    ? structuredClone(schema.default)
    : value;
}
