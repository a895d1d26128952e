import { compareFields } from './compare.ts';
import { FieldSet } from './field-set.ts';
import { fieldElement } from './list-element.ts';
import type { FieldManager, FieldManagers } from './managers.ts';
import type { Shape } from './shape.ts';

/** Fields without an owner. Source: managedfields, stripMeta. */
const UNOWNED = FieldSet.of(
  ...['apiVersion', 'kind', 'metadata'].map((name) => [fieldElement(name)]),
  ...'name namespace creationTimestamp selfLink uid clusterName generation managedFields resourceVersion'
    .split(' ')
    .map((name) => [fieldElement('metadata'), fieldElement(name)]),
);

/** Leaves out the fields that cannot have an owner. */
export function ownable(fields: FieldSet): FieldSet {
  return fields.difference(UNOWNED);
}

/**
 * The fields that a write of this subresource does not own: `status` in a write of the object, `spec` in a write of its
 * status. Source: GetResetFields of the strategies.
 */
export function ignoredFields(subresource: string, hasStatus: boolean): FieldSet {
  if (subresource === '') return hasStatus ? FieldSet.of([fieldElement('status')]) : new FieldSet();
  return subresource === 'status' ? FieldSet.of([fieldElement('spec')]) : new FieldSet();
}

/** A change of an object by one of its managers. */
export interface OwnershipChange {
  readonly shape: Shape;
  readonly before: unknown;
  readonly after: unknown;
  readonly managers: FieldManagers;
  /** The id of the manager that makes the change. Undefined: it is not among `managers`. */
  readonly by: string | undefined;
  readonly ignored: FieldSet;
}

/** The effect of a change on the managers. */
export interface OwnershipEffect {
  /** Fields of other managers that the change sets to another value, by manager. */
  readonly conflicts: FieldManagers;
  /** The managers without what the change took from them. */
  readonly managers: FieldManagers;
  /** The fields that the change has set. */
  readonly changed: FieldSet;
}

/** Takes changed and removed fields from their other managers. Source: structured-merge-diff, merge.Updater. */
export function changeOwnership({ shape, before, after, managers, by, ignored }: OwnershipChange): OwnershipEffect {
  const changes = compareFields(shape, before, after);
  const changed = changes.added.union(changes.modified).without(ignored);
  const removed = changes.removed.without(ignored);
  const conflicts = new Map<string, FieldManager>();
  const left = new Map<string, FieldManager>();
  for (const [id, manager] of managers) {
    if (id === by) {
      left.set(id, manager);
      continue;
    }
    const lost = manager.fields.intersection(changed);
    if (!lost.isEmpty) conflicts.set(id, { ...manager, fields: lost });
    const fields = manager.fields.difference(lost).difference(removed);
    if (!fields.isEmpty) left.set(id, { ...manager, fields });
  }
  return { conflicts, managers: left, changed };
}
