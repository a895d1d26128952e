import { type FieldsShape, type ListKey, type Shape, shapeOfType } from '../../api/index.ts';
import { fieldSchema, isEmbeddedResource, keepsUnknown, schemaOr, type SchemaProps } from './base/schema.ts';

const LEAF: Shape = { kind: 'leaf' };
const SCALARS: Readonly<Record<string, Shape>> = {
  boolean: { kind: 'leaf', scalar: 'boolean' },
  integer: { kind: 'leaf', scalar: 'numeric' },
  number: { kind: 'leaf', scalar: 'numeric' },
  string: { kind: 'leaf', scalar: 'string' },
};
const DEDUCED: Shape = { kind: 'deduced' };

/** The way in which server-side apply merges objects of a schema. Source: kube-openapi, pkg/schemaconv. */
export function shapeOfSchema(schema: SchemaProps, isRoot = true): Shape {
  if (schema.type === 'array') return listShape(schema);
  if (schema.type !== 'object') {
    if (schema.type === undefined && keepsUnknown(schema)) return DEDUCED;
    return SCALARS[schema.type ?? ''] ?? LEAF;
  }
  if (schema['x-kubernetes-map-type'] === 'atomic') return LEAF;
  const { properties } = schema;
  if (!isRoot && properties === undefined && schemaOr(schema.additionalProperties) === undefined) return DEDUCED;
  const isObject = isRoot || isEmbeddedResource(schema);
  const shapes = new Map<string, Shape | undefined>();
  const shape: FieldsShape = {
    kind: 'object',
    field: (name) => {
      if (!shapes.has(name)) shapes.set(name, fieldShape(schema, name, isObject));
      return shapes.get(name);
    },
    isNamed: (name) => (properties !== undefined && Object.hasOwn(properties, name)) || (isObject && isCommon(name)),
    isAlwaysPresent: (name) => isRoot && name === 'metadata',
  };
  return shape;
}

function fieldShape(schema: SchemaProps, name: string, isObject: boolean): Shape | undefined {
  if (isObject && isCommon(name)) return name === 'metadata' ? shapeOfType('meta.ObjectMeta') : LEAF;
  const known = fieldSchema(schema, name);
  if (known !== undefined) return shapeOfSchema(known, false);
  return keepsUnknown(schema) || schema.additionalProperties === true ? DEDUCED : undefined;
}

function isCommon(name: string): boolean {
  return name === 'apiVersion' || name === 'kind' || name === 'metadata';
}

function listShape(schema: SchemaProps): Shape {
  const { items = {} } = schema;
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set') return { kind: 'set' };
  return type === 'map' ? { kind: 'keyed', keys: keysOf(schema), item: shapeOfSchema(items, false) } : LEAF;
}

function keysOf(schema: SchemaProps): ListKey[] {
  return (schema['x-kubernetes-list-map-keys'] ?? []).map((name) => {
    const fallback = schema.items?.properties?.[name]?.default;
    return typeof fallback === 'string' || typeof fallback === 'number' ? { name, fallback } : { name };
  });
}
