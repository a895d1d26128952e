import { isJsonObject, OBJECT_FIELDS } from '../../../api/index.ts';
import { typedMetadata } from './metadata.ts';
import { childPath, fieldSchema, isEmbeddedResource, keepsUnknown, type SchemaProps } from '../base/schema.ts';

/** A value without the fields that its schema does not know. */
export interface Pruned {
  readonly value: unknown;
  /** The paths of the fields that are gone: `spec.x`. */
  readonly unknown: readonly string[];
}

/** Removes fields without a schema. Source: apiextensions, pkg/apiserver/schema/pruning/algorithm.go. */
export function pruneUnknown(schema: SchemaProps, value: unknown, at = '', isRoot = true): Pruned {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return { value, unknown: [] };
    const pruned = value.map((item: unknown, index) => pruneUnknown(items, item, `${at}[${index}]`, false));
    return { value: pruned.map((one) => one.value), unknown: pruned.flatMap(({ unknown }) => unknown) };
  }
  if (!isJsonObject(value)) return { value, unknown: [] };
  const isObject = isRoot || isEmbeddedResource(schema);
  const unknown: string[] = [];
  const entries = Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
    const path = childPath(at, name);
    if (isObject && name === 'metadata' && !isRoot) {
      const typed = typedMetadata(field);
      if (typed.errors.length > 0) return [[name, field]];
      unknown.push(...typed.unknown.map((inner) => childPath(path, inner)));
      return [[name, typed.metadata]];
    }
    if (isObject && OBJECT_FIELDS.has(name)) return [[name, field]];
    const known = fieldSchema(schema, name);
    if (known === undefined) {
      if (keepsUnknown(schema) || schema.additionalProperties === true) return [[name, field]];
      unknown.push(path);
      return [];
    }
    const pruned = pruneUnknown(known, field, path, false);
    unknown.push(...pruned.unknown);
    return [[name, pruned.value]];
  });
  return { value: Object.fromEntries(entries), unknown };
}
