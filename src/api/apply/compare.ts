import { isJsonObject, isSameJson, type JsonObject, ownValue } from '../base/json.ts';
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

/** Compares two objects. Source: sigs.k8s.io/structured-merge-diff, typed/compare.go. */
export function compareFields(shape: Shape, left: unknown, right: unknown): FieldChanges {
  const { added, modified, removed, hasUnkeyed } = changesBelow(
    resolved(shape, isEmpty(right) ? left : right),
    left,
    right,
  );
  return { added: setOf(added), modified: setOf(modified), removed: setOf(removed), hasUnkeyed };
}

/** The change of a field. */
type ChangeKind = 'added' | 'modified' | 'removed';
const KINDS: readonly ChangeKind[] = ['added', 'modified', 'removed'];

/** A set of fields while it is gathered. */
interface Gathered {
  readonly members: string[];
  readonly children: [string, FieldSet][];
}

const setOf = ({ members, children }: Gathered): FieldSet => new FieldSet(members, children);

/** The changes at one place: of the fields, by their elements, and of what is below them. */
interface Changes extends Readonly<Record<ChangeKind, Gathered>> {
  hasUnkeyed: boolean;
}

function noChanges(): Changes {
  const none = (): Gathered => ({ members: [], children: [] });
  return { added: none(), modified: none(), removed: none(), hasUnkeyed: false };
}

function changesBelow(own: Shape, left: unknown, right: unknown): Changes {
  const changes = noChanges();
  if (own.kind === 'object') compareObject(own, changes, objectOf(left), objectOf(right));
  else if (isListShape(own)) {
    const [before, after] = [left, right].map((list) => allByElement(own, Array.isArray(list) ? list : []));
    changes.hasUnkeyed = after?.has(UNKEYED) === true;
    for (const element of new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])) {
      const [items, others] = [before?.get(element), after?.get(element)];
      const areMany = (items?.length ?? 0) > 1 || (others?.length ?? 0) > 1;
      // Items of which a list has two are compared as a whole.
      const place = { shape: areMany ? LEAF : itemShape(own), element, changes };
      compareValue(place, areMany ? items : items?.[0], areMany ? others : others?.[0]);
    }
  }
  return changes;
}

function compareObject(
  shape: FieldsShape,
  changes: Changes,
  left: JsonObject | undefined,
  right: JsonObject | undefined,
): void {
  const fieldOf = (object: JsonObject | undefined, name: string): unknown => {
    const value = ownValue(object, name);
    // An unset struct of Go is present all the same: its fields come and go, not the struct.
    return value === undefined && object !== undefined && shape.isAlwaysPresent(name) ? null : value;
  };
  const compare = (name: string): void => {
    const before = fieldOf(left, name);
    const after = fieldOf(right, name);
    // Most of ten thousand texts are the same.
    if (typeof before === 'string' && before === after) return;
    compareValue({ shape: shape.field(name) ?? LEAF, element: fieldElement(name), changes }, before, after);
  };
  for (const name of Object.keys(right ?? {})) compare(name);
  for (const name of Object.keys(left ?? {})) if (right === undefined || !Object.hasOwn(right, name)) compare(name);
}

interface Place {
  readonly shape: Shape;
  readonly element: string;
  /** The changes of what has the element. */
  readonly changes: Changes;
}

function compareValue({ shape, element, changes }: Place, left: unknown, right: unknown): void {
  if (left === undefined && right === undefined) return;
  const change = changeOf(left, right);
  const [isLeftEmpty, isRightEmpty] = [isEmpty(left), isEmpty(right)];
  const own = resolved(shape, isRightEmpty ? left : right);
  const areBothEmpty = isLeftEmpty && isRightEmpty;
  const isSplit = own.kind !== 'leaf' && !areBothEmpty && (isLeftEmpty || resolved(shape, left).kind === own.kind);
  if (isSplit) {
    const below = changesBelow(own, left, right);
    for (const kind of KINDS) {
      const fields = setOf(below[kind]);
      if (!fields.isEmpty) changes[kind].children.push([element, fields]);
    }
    changes.hasUnkeyed ||= below.hasUnkeyed;
  }
  const isChanged = change !== 'modified' || !(isSplit || areBothEmpty || isSameJson(left, right));
  if (isChanged) changes[change].members.push(element);
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
