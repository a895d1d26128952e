import { fieldsOf } from '../base/field-types.ts';
import { atomicTypes, granularFields, listTable } from '../generated/list-table.ts';
import { isJsonObject, ownValue } from '../base/json.ts';

/**
 * The way in which server-side apply merges a value. Source: sigs.k8s.io/structured-merge-diff, schema.Atom.
 * - `leaf`: as a whole. A scalar, an atomic list or an atomic map.
 * - `object`: by field.
 * - `set`: by value. A list of scalars.
 * - `keyed`: by item. A list of objects with keys.
 * - `deduced`: as the value has it, for values without a schema. Objects by field, all else as a whole.
 */
export type Shape =
  | { readonly kind: 'set' | 'deduced' }
  /** The scalar says which values an apply takes. Undefined: any. */
  | { readonly kind: 'leaf'; readonly scalar?: ScalarType }
  | FieldsShape
  | { readonly kind: 'keyed'; readonly keys: readonly ListKey[]; readonly item: Shape };

export type ScalarType = 'numeric' | 'string' | 'boolean';

export interface FieldsShape {
  readonly kind: 'object';
  /** The shape of a field. Undefined: the schema declares no such field. */
  field(name: string): Shape | undefined;
  /** True for a field that the schema names, false for the key of a map. */
  isNamed(name: string): boolean;
  /** True for a field that Go always writes: a struct that is no pointer, or a list that is not optional. */
  isAlwaysPresent(name: string): boolean;
}

/** A field that identifies the items of a list. */
export interface ListKey {
  readonly name: string;
  /** The value of items that leave it out. */
  readonly fallback?: string | number | undefined;
}

export const LEAF: Shape = { kind: 'leaf' };
const DEDUCED: Shape = { kind: 'deduced' };

/** The shape of any map: its values have the same shape. */
function mapShape(values: Shape): FieldsShape {
  return { kind: 'object', field: () => values, isNamed: () => false, isAlwaysPresent: () => false };
}

/**
 * The shape of an object of a kind in the field table.
 * @param typeName undefined: a kind without a schema
 */
export function shapeOfType(typeName: string | undefined): Shape {
  const fields = typeName === undefined ? undefined : fieldsOf(typeName);
  if (typeName === undefined || fields === undefined) return DEDUCED;
  const known = shapes.get(typeName);
  if (known !== undefined) return known;
  const shape: FieldsShape = {
    kind: 'object',
    field: (name) => {
      const type = ownValue(fields, name);
      return type === undefined ? undefined : shapeOfField(typeName, name, type);
    },
    isNamed: (name) => Object.hasOwn(fields, name),
    isAlwaysPresent: (name) =>
      Object.hasOwn(fields, name) &&
      (ALWAYS_PRESENT.has(name) || ALWAYS_PRESENT.has(`${typeName}.${name}`)) &&
      !POINTERS.has(`${typeName}.${name}`),
  };
  shapes.set(typeName, shape);
  return shape;
}

const shapes = new Map<string, Shape>();

/** Source: the Go types. Fields of other types with these names are no pointers, or the type is named. */
const ALWAYS_PRESENT: ReadonlySet<string> = new Set([
  ...'metadata spec status template jobTemplate strategy updateStrategy loadBalancer containers nodeInfo'.split(' '),
  ...'deprecatedSource drivers involvedObject priorityLevelConfiguration regarding scaleTargetRef source'.split(' '),
  'PersistentVolumeClaimSpec.resources',
  'networking.NetworkPolicySpec.podSelector',
  'resource.ResourceClaimSpec.devices',
  'resource.ResourceSliceSpec.pool',
]);
/** Fields with the name of such a field that are pointers in their type. */
const POINTERS: ReadonlySet<string> = new Set(['ReplicationControllerSpec.template']);

function shapeOfField(typeName: string, field: string, type: string): Shape {
  if (type.startsWith('[]')) return listShape(typeName, field, type.slice(2));
  if (type.startsWith('map:')) {
    return isAtomic(`${typeName}.${field}`) ? LEAF : mapShape(shapeOfValue(type.slice('map:'.length)));
  }
  return granularFields.includes(`${typeName}.${field}`) ? shapeOfType(type) : shapeOfValue(type);
}

/** The schema has raw objects of other kinds as a whole. Source: runtime.RawExtension. */
function shapeOfValue(type: string): Shape {
  if (type === 'object') return LEAF;
  if (type === 'any') return DEDUCED;
  return fieldsOf(type) === undefined || isAtomic(type) ? LEAF : shapeOfType(type);
}

function isAtomic(name: string): boolean {
  return atomicTypes.includes(name);
}

function listShape(typeName: string, field: string, itemType: string): Shape {
  const rules = ownValue(listTable, typeName);
  const keys = ownValue(rules, field);
  if (keys === undefined) return LEAF;
  if (keys.length === 0) return { kind: 'set' };
  const withFallback = keys.map((name) => ({ name, fallback: keyFallback(itemType, name) }));
  return { kind: 'keyed', keys: withFallback, item: shapeOfValue(itemType) };
}

/**
 * The default of a key in the schema. Go writes most keys also when they are empty; an object reference is without its
 * name then. Source: kube-openapi, cmd/openapi-gen, mustEnforceDefault.
 */
function keyFallback(itemType: string, key: string): string | number | undefined {
  if (itemType === 'ObjectReference') return undefined;
  if (key === 'protocol') return 'TCP';
  return fieldsOf(itemType)?.[key] === 'int32' ? 0 : '';
}

/** The shape of a value: what `deduced` means for it. A list of the wrong type counts as a whole. */
export function resolved(shape: Shape, value: unknown): Shape {
  if (shape.kind === 'deduced') return isJsonObject(value) ? mapShape(DEDUCED) : LEAF;
  const isFitting = shape.kind === 'object' ? isJsonObject(value) : Array.isArray(value);
  return shape.kind === 'leaf' || isFitting || value === undefined || value === null ? shape : LEAF;
}
