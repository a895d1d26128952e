import { ownValue } from '../../../../api/index.ts';
import { isEmbeddedResource, schemaOr, type SchemaProps } from '../../base/schema.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listType,
  mapType,
  STRING,
  TIMESTAMP,
  type CelType,
} from './types.ts';

/** Source of all sizes: apiserver/pkg/cel/limits.go and apiserver/pkg/cel/common/schemas.go. */
export const REQUEST_BYTES: number = 3 * 1024 * 1024;
/** Brackets, braces or quotation marks. */
const ENDS = 2;
const BOOL_BYTES = 4;
const NUMBER_BYTES = 1;
/** A comma. */
const ITEM_BYTES = 1;
/** Quotation marks, a colon, a comma, and a key of two bytes. */
const ENTRY_BYTES = 6;
/** Quotation marks, a colon and a comma. */
const FIELD_BYTES = 4;
/** A character has at most so many bytes. */
const CHARACTER_BYTES = 4;

/** Texts of these formats have types of their own. Lengths with quotation marks. */
const FORMATS: Readonly<Record<string, { type: CelType; least: number; most: number }>> = {
  duration: { type: DURATION, least: 3, most: 32 },
  date: { type: TIMESTAMP, least: 12, most: 12 },
  'date-time': { type: TIMESTAMP, least: 21, most: 32 },
};

const TEXT: SchemaProps = { type: 'string' };
const META: SchemaProps = { type: 'object', properties: { name: TEXT, generateName: TEXT } };

/**
 * The type that rules see for values of a schema. Undefined: rules do not see them.
 * Source: apiserver/pkg/cel/common/schemas.go, SchemaDeclType.
 * @param isResource true: the root, or an object of Kubernetes inside another one
 */
export function schemaType(schema: SchemaProps, isResource: boolean, name = 'selfType'): CelType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    return { ...DYN, size: textSize(schema), leastBytes: NUMBER_BYTES };
  }
  switch (schema.type) {
    case 'array':
      return arrayType(schema, name);
    case 'object':
      return schemaOr(schema.additionalProperties) === undefined
        ? objectType(isResource ? withObjectFields(schema) : schema, name)
        : entriesType(schema, name);
    case 'string':
      return textType(schema);
    case 'boolean':
      return { ...BOOL, size: 0, leastBytes: BOOL_BYTES };
    case 'integer':
      return { ...INT, size: 0, leastBytes: NUMBER_BYTES };
    case 'number':
      return { ...DOUBLE, size: 0, leastBytes: NUMBER_BYTES };
    case undefined:
    default:
      return undefined;
  }
}

function childType(schema: SchemaProps | undefined, name: string): CelType | undefined {
  return schema === undefined ? undefined : schemaType(schema, isEmbeddedResource(schema), name);
}

function arrayType({ items, maxItems }: SchemaProps, name: string): CelType | undefined {
  const item = childType(items, `${name}.@idx`);
  if (item === undefined) return undefined;
  const size = maxItems ?? Math.floor((REQUEST_BYTES - ENDS) / ((item.leastBytes ?? 0) + ITEM_BYTES));
  return listType(item, { size: Math.max(0, size), leastBytes: ENDS });
}

function entriesType({ additionalProperties, maxProperties }: SchemaProps, name: string): CelType | undefined {
  const value = childType(schemaOr(additionalProperties), `${name}.@elem`);
  if (value === undefined) return undefined;
  const size = maxProperties ?? Math.floor((REQUEST_BYTES - ENDS) / ((value.leastBytes ?? 0) + ENTRY_BYTES));
  return mapType({ ...STRING, size: 0 }, value, { size: Math.max(0, size), leastBytes: ENDS });
}

function objectType({ properties = {}, required = [] }: SchemaProps, name: string): CelType {
  const fields = new Map<string, CelType>();
  let leastBytes = ENDS;
  for (const [field, schema] of Object.entries(properties)) {
    const type = childType(schema, `${name}.${field}`);
    if (type === undefined) continue;
    fields.set(escapedName(field), type);
    if (required.includes(field) && schema.default === undefined) {
      leastBytes += field.length + (type.leastBytes ?? 0) + FIELD_BYTES;
    }
  }
  return { kind: 'object', name, fields, size: 0, leastBytes };
}

/** Rules see the kind and the name of every object, whatever its schema says. */
function withObjectFields(schema: SchemaProps): SchemaProps {
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const { name, generateName } = metadata?.properties ?? {};
  if ([kind, apiVersion, name, generateName].every((field) => field?.type === 'string')) return schema;
  return { ...schema, properties: { ...schema.properties, kind: TEXT, apiVersion: TEXT, metadata: META } };
}

function textType(schema: SchemaProps): CelType {
  const { format = '' } = schema;
  const own = ownValue(FORMATS, format);
  if (own !== undefined) return { ...own.type, size: own.most, leastBytes: own.least };
  if (format === 'byte') return { ...BYTES, size: schema.maxLength ?? REQUEST_BYTES - ENDS, leastBytes: ENDS };
  return { ...STRING, size: textSize(schema), leastBytes: ENDS };
}

/** The bytes of the longest text. */
function textSize({ maxLength, enum: values = [] }: SchemaProps): number {
  if (maxLength !== undefined) return Math.max(0, maxLength) * CHARACTER_BYTES;
  if (values.length === 0) return REQUEST_BYTES - ENDS;
  return Math.max(...values.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0)));
}

/** Names that a rule must write in another way: `in` is `__in__`. Source: apiserver/schema/cel/model/escaping.go. */
const RESERVED = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return var ' +
    'void while'
  ).split(' '),
);

/** The name of a field in rules. */
export function escapedName(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}
