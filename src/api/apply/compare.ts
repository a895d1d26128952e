import { isJsonObject, isSameJson, type JsonObject } from '../base/json.ts';
import { FieldSet } from './field-set.ts';
import { allByElement, fieldElement, isListShape, itemShape, UNKEYED } from './list-element.ts';
import { LEAF, resolved, type FieldsShape, type Shape } from './shape.ts';

/** The fields in which two objects differ. */
export interface FieldChanges {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
  /** True: a list of the second object has an item without any key. */
  readonly hasUnkeyed: boolean;
}

/** The change of a field. */
type ChangeKind = 'added' | 'modified' | 'removed';
type Paths = Readonly<Record<ChangeKind | 'unkeyed', string[][]>>;

/** Compares two objects. Source: sigs.k8s.io/structured-merge-diff, typed/compare.go. */
export function compareFields(shape: Shape, left: unknown, right: unknown): FieldChanges {
  const paths: Paths = { added: [], modified: [], removed: [], unkeyed: [] };
  compareValue({ shape, at: [], paths }, left, right);
  return {
    added: FieldSet.ofPaths(paths.added),
    modified: FieldSet.ofPaths(paths.modified),
    removed: FieldSet.ofPaths(paths.removed),
    hasUnkeyed: paths.unkeyed.length > 0,
  };
}

interface Place {
  readonly shape: Shape;
  readonly at: readonly string[];
  readonly paths: Paths;
}

function compareValue({ shape, at, paths }: Place, left: unknown, right: unknown): void {
  if (left === undefined && right === undefined) return;
  const change = changeOf(left, right);
  const own = resolved(shape, isEmpty(right) ? left : right);
  const areBothEmpty = isEmpty(left) && isEmpty(right);
  const isSplit = own.kind !== 'leaf' && !areBothEmpty && (isEmpty(left) || resolved(shape, left).kind === own.kind);
  if (!isSplit) {
    if (change !== 'modified' || !(areBothEmpty || isSameJson(left, right))) paths[change].push([...at]);
    return;
  }
  if (own.kind === 'object') compareObject({ shape: own, at, paths }, objectOf(left), objectOf(right));
  else if (isListShape(own)) {
    const [before, after] = [left, right].map((list) => allByElement(own, Array.isArray(list) ? list : []));
    if (after?.has(UNKEYED) === true) paths.unkeyed.push([...at]);
    for (const element of new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])) {
      const [items, others] = [before?.get(element), after?.get(element)];
      const areMany = (items?.length ?? 0) > 1 || (others?.length ?? 0) > 1;
      // Items of which a list has two are compared as a whole.
      const place = { shape: areMany ? LEAF : itemShape(own), at: [...at, element], paths };
      compareValue(place, areMany ? items : items?.[0], areMany ? others : others?.[0]);
    }
  }
  if (change !== 'modified' && at.length > 0) paths[change].push([...at]);
}

function compareObject(
  { shape, at, paths }: Place & { readonly shape: FieldsShape },
  left: JsonObject | undefined,
  right: JsonObject | undefined,
): void {
  for (const name of new Set([...Object.keys(left ?? {}), ...Object.keys(right ?? {})])) {
    // Most of ten thousand texts are the same.
    if (typeof left?.[name] === 'string' && left[name] === right?.[name]) continue;
    const place = { shape: shape.field(name) ?? LEAF, at: [...at, fieldElement(name)], paths };
    const isKept = shape.isAlwaysPresent(name);
    // An unset struct of Go is present all the same: its fields come and go, not the struct.
    const fieldOf = (object: JsonObject | undefined): unknown =>
      object === undefined || object[name] !== undefined ? object?.[name] : isKept ? null : undefined;
    compareValue(place, fieldOf(left), fieldOf(right));
  }
}

function changeOf(left: unknown, right: unknown): ChangeKind {
  if (left === undefined) return 'added';
  return right === undefined ? 'removed' : 'modified';
}

function objectOf(value: unknown): JsonObject | undefined {
  if (value === undefined) return undefined;
  return isJsonObject(value) ? value : {};
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
