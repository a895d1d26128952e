import { compareFields, type FieldChanges } from './compare.ts';
import { FieldSet } from './field-set.ts';
import { fieldElement } from './list-element.ts';
import type { FieldManager, FieldManagers } from './managers.ts';
import type { JsonObject } from '../base/json.ts';
import type { VersionedFields } from './versions.ts';

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

/** A change of an object by one of its managers. */
export interface OwnershipChange {
  readonly fields: VersionedFields;
  /** The version of the write: `before` and `after` are in it. */
  readonly version: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
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
  /** True: the object has an item whose fields cannot be named. */
  readonly hasUnkeyed: boolean;
}

/**
 * Takes changed and removed fields from their other managers, each in its own version. Source: structured-merge-diff,
 * merge.Updater.
 */
export function changeOwnership(change: OwnershipChange): OwnershipEffect {
  const { fields: versions, version, managers, by } = change;
  const own = changesIn(version, change);
  const byVersion = new Map([[versions.keyOf(version), own]]);
  const conflicts = new Map<string, FieldManager>();
  const left = new Map<string, FieldManager>();
  for (const [id, manager] of managers) {
    if (id === by) {
      left.set(id, manager);
      continue;
    }
    const key = versions.keyOf(manager.apiVersion);
    const known = byVersion.get(key) ?? changesIn(manager.apiVersion, change);
    byVersion.set(key, known);
    const { changed, removed } = known;
    const lost = manager.fields.intersection(changed);
    if (!lost.isEmpty) conflicts.set(id, { ...manager, fields: lost });
    const fields = manager.fields.difference(lost).difference(removed);
    if (!fields.isEmpty) left.set(id, { ...manager, fields });
  }
  return { conflicts, managers: left, changed: own.changed, hasUnkeyed: own.hasUnkeyed };
}

function changesIn(
  version: string,
  { fields, before, after, ignored }: OwnershipChange,
): Pick<FieldChanges, 'removed' | 'hasUnkeyed'> & { readonly changed: FieldSet } {
  const changes = compareFields(
    fields.shapeOf(version),
    fields.convert(before, version),
    fields.convert(after, version),
  );
  return {
    changed: changes.added.union(changes.modified).without(ignored),
    removed: changes.removed.without(ignored),
    hasUnkeyed: changes.hasUnkeyed,
  };
}
