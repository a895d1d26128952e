import { fieldMap, isJsonObject, isSameJson, type JsonObject } from '../base/json.ts';
import type { KubeObject } from '../base/objects.ts';
import { type ApplyConflicts, conflictsWith } from './conflicts.ts';
import { fieldSetOf, withNamedFields } from './field-set-of.ts';
import { FieldSet } from './field-set.ts';
import { lastAppliedFields, withLastApplied } from './last-applied.ts';
import { type FieldManager, type FieldManagers, managerId, readManagers } from './managers.ts';
import { mergeFields } from './merge.ts';
import { changeOwnership, ignoredFields, ownable } from './ownership.ts';
import { LEAF, resolved, type Shape } from './shape.ts';
import { type TrackedWrite, withManagers, withoutManagers } from './track-update.ts';
import { fieldElement, isListShape, itemElement, itemShape } from './list-element.ts';

/** An apply patch: the wanted fields, and who wants them. */
export interface ServerSideApply extends TrackedWrite {
  /** True: takes fields with other values from their managers. */
  readonly isForced: boolean;
}

/** The result of an apply. `object` has its managers in its metadata. */
export type ApplyOutcome =
  | { readonly ok: true; readonly object: KubeObject }
  | { readonly ok: false; readonly conflicts: ApplyConflicts };

/**
 * Applies an object on the server: merges it into the live one, removes the fields that this manager applied before and
 * leaves out now, unless other managers own them, and records who owns what. Source: managedfields, FieldManager.Apply.
 * @param live the stored object; undefined: it is created
 * @param applied the body of the request, without `managedFields`
 */
export function applyServerSide(
  live: KubeObject | undefined,
  applied: KubeObject,
  apply: ServerSideApply,
): ApplyOutcome {
  const present = live === undefined ? undefined : withoutManagers(live);
  const managers = readManagers(live?.metadata.managedFields) ?? new Map<string, FieldManager>();
  const first = merged(present, applied, managers, apply);
  const taken = first.conflicts.size === 0 ? first : withoutOwnManifest(present, first, apply);
  if (taken.conflicts.size > 0 && !apply.isForced) return { ok: false, conflicts: conflictsWith(taken.conflicts) };
  const object = apply.manager === KUBECTL ? withLastApplied(first.object, applied) : first.object;
  return { ok: true, object: withManagers(object, timed(first, managers, apply, !isSameJson(present, object))) };
}

/** The manager of `kubectl apply --server-side`. */
const KUBECTL = 'kubectl';

interface Merged {
  readonly object: KubeObject;
  readonly managers: FieldManagers;
  readonly conflicts: FieldManagers;
  /** The id of the manager that applies. */
  readonly id: string;
}

function merged(
  live: JsonObject | undefined,
  applied: KubeObject,
  managers: FieldManagers,
  { shape, manager: name, subresource, hasStatus, time }: ServerSideApply,
): Merged {
  const ignored = ignoredFields(subresource, hasStatus);
  const wanted = removeFields(shape, applied, ignored);
  const manager = { name, operation: 'Apply' as const, apiVersion: applied.apiVersion, subresource };
  const id = managerId(manager);
  const last = managers.get(id)?.fields;
  const fields = ownable(fieldSetOf(shape, wanted).without(ignored));
  const owners = new Map([...managers, [id, { ...manager, time: managers.get(id)?.time ?? time, fields }]]);
  const all = mergeFields(shape, live, wanted);
  const object = last === undefined ? all : withoutAbandoned(shape, all, last, owners);
  const effect = changeOwnership({
    shape,
    before: live ?? { apiVersion: applied.apiVersion, kind: applied.kind, metadata: {} },
    after: object,
    managers: owners,
    by: id,
    ignored,
  });
  return { object: withoutNulls(object) as KubeObject, managers: effect.managers, conflicts: effect.conflicts, id };
}

/**
 * Removes what only this manager owned and has left out. Source: structured-merge-diff, merge.Updater.prune.
 * @param last the fields of its last apply
 */
function withoutAbandoned(shape: Shape, all: unknown, last: FieldSet, owners: FieldManagers): unknown {
  const named = (set: FieldSet): FieldSet => withNamedFields(set, shape);
  const whole = named(fieldSetOf(shape, all));
  const owned = [...owners.values()].reduce((sum, { fields }) => sum.union(fields), new FieldSet());
  const pruned = named(fieldSetOf(shape, removeFields(shape, all, last)));
  const kept = removeFields(shape, all, whole.difference(pruned.union(named(owned))));
  const lost = whole.difference(named(fieldSetOf(shape, kept)));
  return removeFields(shape, all, lost.intersection(named(last)));
}

/**
 * The conflicts without fields that the last manifest of `kubectl apply` has set: kubectl takes its own fields over.
 * Source: managedfields, lastAppliedManager.
 */
function withoutOwnManifest(
  live: JsonObject | undefined,
  outcome: Merged,
  { shape, manager }: ServerSideApply,
): Merged {
  const own = manager === KUBECTL ? lastAppliedFields(shape, live) : undefined;
  if (own === undefined) return outcome;
  const conflicts = [...outcome.conflicts].map(
    ([id, conflict]) => [id, { ...conflict, fields: conflict.fields.difference(own) }] as const,
  );
  return { ...outcome, conflicts: new Map(conflicts.filter(([, { fields }]) => !fields.isEmpty)) };
}

/** The managers, with the time of this apply if it has changed anything. */
function timed(
  { managers, id }: Merged,
  before: FieldManagers,
  { time }: ServerSideApply,
  isChanged: boolean,
): FieldManagers {
  const own = managers.get(id);
  if (own === undefined) return managers;
  const isSame =
    before.size === managers.size && [...managers].every(([key, { fields }]) => before.get(key)?.fields.equals(fields));
  return !isChanged && isSame ? managers : new Map([...managers, [id, { ...own, time }]]);
}

/** Drops fields that are null: an applied null asks for no value. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}

/**
 * Removes fields from an object. An object or list that loses all it has goes, too. Source:
 * sigs.k8s.io/structured-merge-diff, typed/remove.go.
 */
function removeFields(shape: Shape, value: unknown, unwanted: FieldSet): unknown {
  if (unwanted.isEmpty) return value;
  const own = resolved(shape, value);
  if (own.kind === 'object' && isJsonObject(value)) {
    const fields = fieldMap(value);
    for (const [name, field] of fields) {
      const element = fieldElement(name);
      const rest = unwanted.has(element)
        ? undefined
        : removeFields(own.field(name) ?? LEAF, field, unwanted.below(element));
      if (rest === undefined) fields.delete(name);
      else fields.set(name, rest);
    }
    return fields.size === 0 ? undefined : Object.fromEntries(fields);
  }
  if (isListShape(own) && Array.isArray(value)) {
    const items = value.flatMap((item: unknown) => {
      const element = itemElement(own, item);
      if (unwanted.has(element)) return [];
      return [removeFields(itemShape(own), item, unwanted.below(element))];
    });
    return items.length === 0 ? undefined : items;
  }
  return undefined;
}
