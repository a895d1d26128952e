import { withoutAbandoned } from './abandoned.ts';
import { isSameJson, type JsonObject } from '../base/json.ts';
import type { KubeObject } from '../base/objects.ts';
import { type ApplyConflicts, conflictsWith } from './conflicts.ts';
import { fieldSetOf } from './field-set-of.ts';
import { lastAppliedFields, withLastApplied } from './last-applied.ts';
import { type FieldManager, type FieldManagers, managerId, readManagers } from './managers.ts';
import { mergeFields } from './merge.ts';
import { changeOwnership, ownable } from './ownership.ts';
import { resetFieldSet } from './reset-fields.ts';
import { type TrackedWrite, withManagers, withoutManagers } from './track-update.ts';
import { VersionedFields } from './versions.ts';

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
  return { ok: true, object: withManagers(object, timed(first, apply, !isSameJson(withoutNulls(present), object))) };
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
  { shape, versions, manager: name, subresource, hasStatus }: ServerSideApply,
): Merged {
  const ignored = resetFieldSet(applied.kind, subresource, hasStatus);
  const manager = { name, operation: 'Apply' as const, apiVersion: applied.apiVersion, subresource };
  const id = managerId(manager);
  const last = managers.get(id);
  const fields = ownable(fieldSetOf(shape, applied).without(ignored));
  const owners = new Map([...managers, [id, { ...manager, time: last?.time, fields }]]);
  const all = mergeFields(shape, live, applied) as JsonObject;
  const inVersions = new VersionedFields(shape, versions);
  const object = (last === undefined ? all : withoutAbandoned(all, last, owners, inVersions)) ?? {};
  const effect = changeOwnership({
    fields: inVersions,
    version: applied.apiVersion,
    before: live ?? { apiVersion: applied.apiVersion, kind: applied.kind, metadata: {} },
    after: object,
    managers: owners,
    by: id,
    ignored,
  });
  return { object: withoutNulls(object) as KubeObject, managers: effect.managers, conflicts: effect.conflicts, id };
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

/**
 * The managers, with the time of this apply if it has changed the object. Source: managedfields, managedFieldsUpdater.
 */
function timed({ managers, id }: Merged, { time }: ServerSideApply, isChanged: boolean): FieldManagers {
  const own = managers.get(id);
  return own === undefined || !isChanged ? managers : new Map([...managers, [id, { ...own, time }]]);
}

/** Drops fields that are null: an applied null asks for no value. */
export function withoutNulls(value: unknown): unknown {
  return hasNulls(value) ? copyWithoutNulls(value) : value;
}

/** Most objects have none: a copy of one with ten thousand fields takes long. */
function hasNulls(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((field) => field === null || field === undefined || hasNulls(field));
}

function copyWithoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyWithoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, copyWithoutNulls(field)]));
}
