import { isJsonObject } from '../../../api/json.ts';
import { fieldSchema, schemaOr, type SchemaProps } from '../schema.ts';

/** Names that a rule must write in another way: `in` is `__in__`. Source: apiserver/schema/cel/model/escaping.go. */
const RESERVED = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return var ' +
    'void while'
  ).split(' '),
);

/**
 * A value as rules see it: whole numbers are `int`, texts of the formats byte, date and duration have types of their
 * own. Source: apiextensions, pkg/apiserver/schema/cel/values.go.
 */
export function celValue(schema: SchemaProps | undefined, value: unknown): unknown {
  if (typeof value === 'number') {
    return schema?.type !== 'number' && Number.isInteger(value) ? BigInt(value) : value;
  }
  if (typeof value === 'string') return celText(schema?.format, value);
  if (Array.isArray(value)) return value.map((item: unknown) => celValue(schema?.items, item));
  if (!isJsonObject(value)) return value;
  const isMap = schemaOr(schema?.additionalProperties) !== undefined;
  const entries = Object.entries(value).map(([name, field]) => {
    const known = schema === undefined ? undefined : fieldSchema(schema, name);
    return [isMap ? name : escaped(name), celValue(known, field)] as const;
  });
  return Object.fromEntries(entries);
}

function celText(format: string | undefined, text: string): unknown {
  if (format === 'byte') return new Uint8Array(Buffer.from(text, 'base64'));
  if (format !== 'date' && format !== 'date-time') return text;
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : at;
}

function escaped(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}
