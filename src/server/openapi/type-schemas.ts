import { atomicTypes, type JsonObject, listTable, ownValue, patchTable } from '../../api/index.ts';
import type { Descriptions } from '../../manifest/index.ts';
import { isAnyValue, knownFieldsOf } from '../../apiserver/index.ts';
import { META_SCHEMA, PATCH_SCHEMA, schemaRef, schemaNameOf, SHARED_SCHEMAS } from './schema-names.ts';

/** The schemas of a document, by name. */
export type Schemas = Record<string, JsonObject>;

const PRIMITIVES: Readonly<Record<string, JsonObject>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  float64: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  object: { type: 'object' },
  any: {},
};

const SHARED: Readonly<Record<string, JsonObject>> = {
  quantity: {
    description: 'Quantity is a fixed-point representation of a number.',
    oneOf: [{ type: 'string' }, { type: 'number' }],
  },
  intOrString: {
    description: 'IntOrString is a type that can hold an int32 or a string.',
    format: 'int-or-string',
    oneOf: [{ type: 'integer' }, { type: 'string' }],
  },
  time: { description: 'Time is a wrapper around time.Time (RFC 3339).', type: 'string', format: 'date-time' },
  microTime: { description: 'MicroTime is a version of Time with microseconds.', type: 'string', format: 'date-time' },
};

/** Adds the schema of a type, and the schemas of the types of its fields. */
export function addTypeSchemas(schemas: Schemas, type: string, descriptions: Descriptions): void {
  const name = schemaNameOf(type);
  const fields = knownFieldsOf(type);
  if (fields === undefined || schemas[name] !== undefined) return;
  if (isAnyValue(type)) {
    schemas[name] = { description: 'Any value.' };
    return;
  }
  const described = descriptions[type];
  const required = Object.keys(fields).filter((field) => described?.fields[field]?.required === true);
  const schema = {
    ...describedAs(described?.text),
    type: 'object',
    ...(Object.keys(fields).length > 0 && {
      properties: Object.fromEntries(
        Object.entries(fields).map(([field, of]) => [field, fieldSchema(type, field, of, descriptions)]),
      ),
    }),
    ...(required.length > 0 ? { required } : {}),
    ...(atomicTypes.includes(type) ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
  // Present before its fields: a type may contain itself.
  schemas[name] = schema;
  for (const of of Object.values(fields)) {
    const value = of.replace(/^(\[\]|map:)+/, '');
    const shared = SHARED_SCHEMAS[value];
    if (shared !== undefined) schemas[shared] = SHARED[value] ?? {};
    else addTypeSchemas(schemas, value, descriptions);
  }
}

/** Adds the schema of the bodies of patches. */
export function addPatchSchema(schemas: Schemas): void {
  schemas[PATCH_SCHEMA] = { description: 'Patch is the body of a Kubernetes PATCH request.', type: 'object' };
}

/** The field `metadata` of an object. */
export function metadataSchema(text: string | undefined): JsonObject {
  return { ...describedAs(text), default: {}, allOf: [schemaRef(META_SCHEMA)] };
}

/** The description of a schema, if it has one. */
export function describedAs(text: string | undefined): JsonObject {
  return text ? { description: text } : {};
}

function fieldSchema(owner: string, field: string, type: string, descriptions: Descriptions): JsonObject {
  const { text, values } = descriptions[owner]?.fields[field] ?? {};
  const isList = type.startsWith('[]');
  const value = valueSchema(type, isList || type.startsWith('map:') ? undefined : values);
  const isMap = type.startsWith('map:') && atomicTypes.includes(`${owner}.${field}`);
  return {
    ...describedAs(text),
    ...value,
    ...(isList ? listExtensions(owner, field) : {}),
    ...(isMap ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...patchExtensions(owner, field),
  };
}

function valueSchema(type: string, values: readonly string[] | undefined): JsonObject {
  if (type.startsWith('[]')) return { type: 'array', items: valueSchema(type.slice(2), undefined) };
  if (type.startsWith('map:')) {
    return { type: 'object', additionalProperties: valueSchema(type.slice('map:'.length), undefined) };
  }
  const shared = SHARED_SCHEMAS[type];
  if (shared !== undefined) return { allOf: [schemaRef(shared)] };
  const primitive = PRIMITIVES[type];
  if (primitive === undefined) return { default: {}, allOf: [schemaRef(schemaNameOf(type))] };
  return { ...primitive, ...(values === undefined ? {} : { enum: values }) };
}

function listExtensions(owner: string, field: string): JsonObject {
  const keys = ownValue(listTable, owner)?.[field];
  if (keys === undefined) return { 'x-kubernetes-list-type': 'atomic' };
  if (keys.length === 0) return { 'x-kubernetes-list-type': 'set' };
  return { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
}

function patchExtensions(owner: string, field: string): JsonObject {
  const rule = ownValue(patchTable, owner)?.[field];
  if (rule === undefined) return {};
  return {
    'x-kubernetes-patch-strategy': rule.strategies.join(','),
    ...(rule.mergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': rule.mergeKey }),
  };
}
