import { withoutAbandoned } from './abandoned.ts';
import { isSameJson, type JsonObject } from '../base/json.ts';
import type { KubeObject } from '../base/objects.ts';
import { type ApplyConflicts, conflictsWith } from './conflicts.ts';
import type { FieldSet } from './field-set.ts';
import { fieldSetOf } from './field-set-of.ts';
import { lastAppliedFields, withLastApplied } from './last-applied.ts';
import { type FieldManager, type FieldManagers, managerId, readManagers } from './managers.ts';
import { mergeFields } from './merge.ts';
import { changeOwnership, ownable, type OwnershipEffect } from './ownership.ts';
import { resetFieldSet } from './reset-fields.ts';
import { atOnce, type PartRunner } from './part-runner.ts';
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
 * @param step runs the parts that take long for an object of ten thousand fields
 */
export function applyServerSide(
  live: KubeObject | undefined,
  applied: KubeObject,
  apply: ServerSideApply,
  step: PartRunner = atOnce,
): ApplyOutcome {
  const present = live === undefined ? undefined : withoutManagers(live);
  const managers = step('managers', () => managersWith(live, applied, apply));
  const all = step('merge', () => merged(present, applied, managers, apply));
  const before = present ?? { apiVersion: applied.apiVersion, kind: applied.kind, metadata: {} };
  const { conflicts, managers: left } = step('own', () => owned(before, all, managers, apply));
  const taken = conflicts.size === 0 ? conflicts : withoutOwnManifest(present, conflicts, apply);
  if (taken.size > 0 && !apply.isForced) return { ok: false, conflicts: conflictsWith(taken) };
  const object = withoutNulls(all) as KubeObject;
  const result = apply.manager === KUBECTL ? withLastApplied(object, applied) : object;
  const isChanged = !isSameJson(withoutNulls(present), result);
  const known = isChanged ? timed(left, managers.id, apply) : left;
  return { ok: true, object: step('result', () => withManagers(result, known)) };
}

/** The manager of `kubectl apply --server-side`. */
const KUBECTL = 'kubectl';

interface ApplyManagers {
  /** The manager that applies. */
  readonly id: string;
  /** The version of the API in which it applies. */
  readonly version: string;
  /** The last apply of that manager. */
  readonly last: FieldManager | undefined;
  /** All managers, with the fields of this apply. */
  readonly owners: FieldManagers;
  readonly ignored: FieldSet;
}

function managersWith(
  live: KubeObject | undefined,
  applied: KubeObject,
  { shape, manager: name, subresource, hasStatus }: ServerSideApply,
): ApplyManagers {
  const before = readManagers(live?.metadata.managedFields) ?? new Map<string, FieldManager>();
  const { apiVersion: version, kind } = applied;
  const manager = { name, operation: 'Apply' as const, apiVersion: version, subresource };
  const id = managerId(manager);
  const last = before.get(id);
  const ignored = resetFieldSet(kind, subresource, hasStatus);
  const fields = ownable(fieldSetOf(shape, applied).without(ignored));
  const owners = new Map([...before, [id, { ...manager, time: last?.time, fields }]]);
  return { id, version, last, owners, ignored };
}

function merged(
  live: JsonObject | undefined,
  applied: KubeObject,
  { last, owners }: ApplyManagers,
  { shape, versions }: ServerSideApply,
): JsonObject {
  const all = mergeFields(shape, live, applied) as JsonObject;
  return (last === undefined ? all : withoutAbandoned(all, last, owners, new VersionedFields(shape, versions))) ?? {};
}

function owned(
  before: JsonObject,
  after: JsonObject,
  { id, version, owners, ignored }: ApplyManagers,
  { shape, versions }: ServerSideApply,
): OwnershipEffect {
  return changeOwnership({
    fields: new VersionedFields(shape, versions),
    version,
    before,
    after,
    managers: owners,
    by: id,
    ignored,
  });
}

/**
 * The conflicts without fields that the last manifest of `kubectl apply` has set: kubectl takes its own fields over.
 * Source: managedfields, lastAppliedManager.
 */
function withoutOwnManifest(
  live: JsonObject | undefined,
  conflicts: FieldManagers,
  { shape, manager }: ServerSideApply,
): FieldManagers {
  const own = manager === KUBECTL ? lastAppliedFields(shape, live) : undefined;
  if (own === undefined) return conflicts;
  const foreign = [...conflicts].map(
    ([id, conflict]) => [id, { ...conflict, fields: conflict.fields.difference(own) }] as const,
  );
  return new Map(foreign.filter(([, { fields }]) => !fields.isEmpty));
}

/**
 * The managers, with the time of an apply that has changed the object. Source: managedfields, managedFieldsUpdater.
 */
function timed(managers: FieldManagers, id: string, { time }: ServerSideApply): FieldManagers {
  const own = managers.get(id);
  return own === undefined ? managers : new Map([...managers, [id, { ...own, time }]]);
}

/** Drops fields that are null: an applied null asks for no value. */
export function withoutNulls(value: unknown): unknown {
  return hasNulls(value) ? copyWithoutNulls(value) : value;
}

/** Most objects have none: a copy of one with ten thousand fields takes long. */
function hasNulls(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  for (const field of Object.values(value) as unknown[])
    if (field === null || field === undefined || (typeof field === 'object' && hasNulls(field))) return true;
  return false;
}

function copyWithoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyWithoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, copyWithoutNulls(field)]));
}
