import { isJsonObject } from '../base/json.ts';
import { FieldSet } from './field-set.ts';
import { fieldElement, isListShape, itemElement, itemShape, itemsByElement } from './list-element.ts';
import { LEAF, resolved, type Shape } from './shape.ts';

/** The fields of an object. Source: sigs.k8s.io/structured-merge-diff, typed/tofieldset.go. */
export function fieldSetOf(shape: Shape, value: unknown): FieldSet {
  const own = resolved(shape, value);
  if (own.kind === 'leaf') return NO_FIELDS;
  const members: string[] = [];
  const children: [string, FieldSet][] = [];
  const add = (element: string, shape: Shape, value: unknown, isMember: boolean): void => {
    const isLeaf = resolved(shape, value).kind === 'leaf';
    if (isLeaf || isMember || isNothing(value)) members.push(element);
    const below = isLeaf ? NO_FIELDS : fieldSetOf(shape, value);
    if (!below.isEmpty) children.push([element, below]);
  };
  if (own.kind === 'object' && isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const field = value[name];
      if (field !== undefined) add(fieldElement(name), own.field(name) ?? LEAF, field, !own.isNamed(name));
    }
  } else if (isListShape(own) && Array.isArray(value)) {
    for (const [element, item] of itemsByElement(own, value)) add(element, itemShape(own), item, true);
  }
  return new FieldSet(members, children);
}

const NO_FIELDS = new FieldSet();

/** True for a null or an empty object, which is owned as a whole, as a leaf is. */
function isNothing(value: unknown): boolean {
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0);
}

/**
 * Adds the named fields that have members below them. So a set says which objects exist. Source: fieldpath.Set,
 * EnsureNamedFieldsAreMembers.
 */
export function withNamedFields(set: FieldSet, shape: Shape): FieldSet {
  return set.withParents((path) => isNamedField(shape, path));
}

function isNamedField(shape: Shape, [first = '', ...rest]: readonly string[]): boolean {
  const name = first.slice(2);
  if (shape.kind === 'object' && first.startsWith('f:')) {
    return rest.length === 0 ? shape.isNamed(name) : isNamedField(shape.field(name) ?? LEAF, rest);
  }
  return shape.kind === 'keyed' && rest.length > 0 && isNamedField(shape.item, rest);
}

/** The elements of a list in order, an element for each item. */
export function elementsOf(shape: Shape, list: readonly unknown[]): string[] {
  return list.map((item) => itemElement(shape, item));
}
