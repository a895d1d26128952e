import { fieldsOf, typeOfKind } from './base/field-types.ts';
import { isJsonObject, type JsonObject } from './base/json.ts';
import type { KubeObject } from './base/objects.ts';

/** A field with times in it. */
interface TimeField {
  readonly name: string;
  readonly form: 'one' | 'list' | 'map';
  /** Undefined: the value is a time itself. */
  readonly fields: readonly TimeField[] | undefined;
}

/** Returns the text for a time. */
type TimeEdit = (text: string, kept: unknown) => string;

const known = new Map<string, readonly TimeField[]>();

/**
 * The object with its times in whole seconds, as the API server sends them. Times that clients get in microseconds
 * (`microTime`: of Leases and Events) stay. Of a kind without types, the metadata has times only. Source:
 * apimachinery/pkg/apis/meta/v1/time.go, MarshalJSON.
 */
export function inWholeSeconds<T extends KubeObject>(object: T): T {
  return edited(object, undefined, wholeSecond) as T;
}

/**
 * The object with the times of the stored one, where they are the same second: a client that sends back what it has
 * read changes none of them.
 */
export function withKeptTimes<T extends KubeObject>(object: T, stored: KubeObject): T {
  const kept: TimeEdit = (text, before) => (typeof before === 'string' && wholeSecond(before) === text ? before : text);
  return edited(object, stored, kept) as T;
}

function wholeSecond(text: string): string {
  return text.replace(/\.\d+(?=Z$|[+-]\d\d:\d\d$)/, '');
}

function edited(object: KubeObject, stored: KubeObject | undefined, edit: TimeEdit): JsonObject {
  const type = typeOfKind(object.apiVersion, object.kind);
  const metadata: TimeField = { name: 'metadata', form: 'one', fields: timeFieldsOf('meta.ObjectMeta') };
  return editFields(object, stored, type === undefined ? [metadata] : timeFieldsOf(type), edit);
}

/** Returns the same object when nothing changes. */
function editFields(object: JsonObject, kept: unknown, fields: readonly TimeField[], edit: TimeEdit): JsonObject {
  let copy: JsonObject | undefined;
  for (const field of fields) {
    const value = object[field.name];
    if (value === undefined || value === null) continue;
    const changed = editValue(value, partOf(kept, field.name), field, edit);
    if (changed !== value) copy = { ...(copy ?? object), [field.name]: changed };
  }
  return copy ?? object;
}

function editValue(value: unknown, kept: unknown, field: TimeField, edit: TimeEdit): unknown {
  const { form, fields } = field;
  const element = (each: unknown, before: unknown): unknown => {
    if (fields === undefined) return typeof each === 'string' ? edit(each, before) : each;
    return isJsonObject(each) ? editFields(each, before, fields, edit) : each;
  };
  if (form === 'one') return element(value, kept);
  if (form === 'list') {
    if (!Array.isArray(value)) return value;
    const changed = value.map((each, index) => element(each, elementOf(kept, each, index)));
    return changed.some((each, index) => each !== value[index]) ? changed : value;
  }
  if (!isJsonObject(value)) return value;
  const pairs = Object.entries(value).map(([key, each]) => [key, element(each, partOf(kept, key))] as const);
  return pairs.some(([key, each]) => each !== value[key]) ? Object.fromEntries(pairs) : value;
}

/** The fields that name an element of a list with times: a condition, a container, an entry of managedFields. */
const NAMES = ['type', 'name', 'manager', 'operation', 'subresource'];

/** The stored element of the same name: a patch may have moved it. */
function elementOf(list: unknown, element: unknown, index: number): unknown {
  const names = (of: unknown): string => JSON.stringify(NAMES.map((name) => partOf(of, name)));
  const name = names(element);
  const present = partOf(list, index);
  if (names(present) === name || !Array.isArray(list)) return present;
  return list.find((each) => names(each) === name);
}

function partOf(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[key] : undefined;
}

/** The fields of a type that are times, or have times in them. */
function timeFieldsOf(type: string): readonly TimeField[] {
  const present = known.get(type);
  if (present !== undefined) return present;
  // A type that has itself as a field finds the list that is being made.
  const timeFields: TimeField[] = [];
  known.set(type, timeFields);
  for (const [name, text] of Object.entries(fieldsOf(type) ?? {})) {
    const form = text.startsWith('[]') ? 'list' : text.startsWith('map:') ? 'map' : 'one';
    const base = text.replace(/^(\[\]|map:)/, '');
    if (base === 'time') timeFields.push({ name, form, fields: undefined });
    else if (fieldsOf(base) !== undefined && timeFieldsOf(base).length > 0)
      timeFields.push({ name, form, fields: timeFieldsOf(base) });
  }
  return timeFields;
}
