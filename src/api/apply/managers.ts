import type { ManagedFieldsEntry } from '../generated/types.ts';
import { isJsonObject } from '../base/json.ts';
import { FieldSet } from './field-set.ts';

/** A writer of an object, and the fields that it owns: an entry of `metadata.managedFields`. */
export interface FieldManager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  /** The time of the last change of its fields, RFC 3339 in seconds. */
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** The managers of an object by id. */
export type FieldManagers = ReadonlyMap<string, FieldManager>;

/** A manager that applies is the same in all versions of the API. Source: managedfields, BuildManagerIdentifier. */
export function managerId({ name, operation, apiVersion, subresource }: Omit<FieldManager, 'fields' | 'time'>): string {
  return JSON.stringify([name, operation, operation === 'Apply' ? '' : apiVersion, subresource]);
}

/** Reads `metadata.managedFields`. Undefined: it is damaged. */
export function readManagers(entries: unknown): FieldManagers | undefined {
  if (entries === undefined || entries === null) return new Map();
  if (!Array.isArray(entries)) return undefined;
  const managers = new Map<string, FieldManager>();
  for (const entry of entries as readonly unknown[]) {
    const manager = readManager(entry);
    if (manager === undefined) return undefined;
    managers.set(managerId(manager), manager);
  }
  return managers;
}

function readManager(entry: unknown): FieldManager | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { manager, operation, apiVersion, subresource, time, fieldsType, fieldsV1 } = entry;
  if ((operation !== 'Apply' && operation !== 'Update') || fieldsType !== 'FieldsV1') return undefined;
  return {
    name: textOf(manager),
    operation,
    apiVersion: textOf(apiVersion),
    subresource: textOf(subresource),
    time: typeof time === 'string' ? time : undefined,
    fields: FieldSet.fromFieldsV1(fieldsV1),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The value of `metadata.managedFields`. Source: managedfields, sortEncodedManagedFields. */
export function managedFieldsOf(managers: FieldManagers): ManagedFieldsEntry[] {
  return [...managers.values()]
    .filter(({ fields }) => !fields.isEmpty)
    .toSorted((a, b) => compareTexts(sortKey(a), sortKey(b)))
    .map(({ name, operation, apiVersion, subresource, time, fields }) => ({
      manager: name,
      operation,
      apiVersion,
      ...(time === undefined ? {} : { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: fields.toFieldsV1(),
      ...(subresource === '' ? {} : { subresource }),
    }));
}

function sortKey({ operation, time = '', name, apiVersion, subresource }: FieldManager): readonly string[] {
  return [operation, time, name, apiVersion, subresource];
}

function compareTexts(left: readonly string[], right: readonly string[]): number {
  const index = left.findIndex((text, at) => text !== right[at]);
  if (index < 0) return 0;
  return (left[index] ?? '') < (right[index] ?? '') ? -1 : 1;
}

/** The most managers of plain writes. Source: managedfields, DefaultMaxUpdateManagers. */
const UPDATE_MANAGERS_MAX = 10;
const ANCIENT = 'ancient-changes';

/** Joins the oldest managers of plain writes when there are too many. Source: managedfields, capManagersManager. */
export function withFewManagers(managers: FieldManagers): FieldManagers {
  const updates = [...managers].filter(([, { operation }]) => operation === 'Update');
  const excess = updates.length - UPDATE_MANAGERS_MAX;
  if (excess <= 0) return managers;
  const oldest = updates.toSorted(([, a], [, b]) => compareTexts([a.time ?? ''], [b.time ?? ''])).slice(0, excess + 1);
  const capped = new Map(managers);
  for (const [id, manager] of oldest) {
    capped.delete(id);
    const ancient = { ...manager, name: ANCIENT, subresource: '' };
    const known = capped.get(managerId(ancient));
    const fields = known === undefined ? manager.fields : known.fields.union(manager.fields);
    capped.set(managerId(ancient), { ...ancient, fields });
  }
  return capped;
}
