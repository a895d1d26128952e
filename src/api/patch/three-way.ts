import type { KubeObject } from '../base/objects.ts';
import { fieldRulesOf, typeOfObject, type FieldRules } from './field-rules.ts';
import { fieldMap, isJsonObject, isSameJson, type JsonObject } from '../base/json.ts';
import { inPatchOrder } from './list-order.ts';

/**
 * Merges a manifest into an existing object as `kubectl apply` does: sets the fields of the manifest, removes fields
 * that only the last manifest had, and keeps all other fields for their writers. Merges lists by item as a strategic
 * merge patch does. Source: strategicpatch.CreateThreeWayMergePatch, and its patch applied to the live object.
 * @param lastApplied the last manifest; undefined: none, so nothing is removed
 * @param wanted the manifest as written: filled-in defaults would overwrite the fields of other writers
 */
export function threeWayMerge(lastApplied: KubeObject | undefined, wanted: KubeObject, live: KubeObject): KubeObject {
  return mergeObject(lastApplied ?? {}, wanted, live, typeOfObject(live)) as KubeObject;
}

function mergeObject(last: JsonObject, wanted: JsonObject, live: JsonObject, typeName: string | undefined): JsonObject {
  const fields = fieldMap(live);
  const wantedFields = fieldMap(wanted);
  const lastFields = fieldMap(last);
  for (const field of lastFields.keys()) if (!wantedFields.has(field)) fields.delete(field);
  for (const [field, value] of wantedFields) {
    // A null in a manifest asks for the default.
    if (value === null) fields.delete(field);
    else fields.set(field, mergeValue(lastFields.get(field), value, fields.get(field), fieldRulesOf(typeName, field)));
  }
  return Object.fromEntries(fields);
}

function mergeValue(last: unknown, wanted: unknown, live: unknown, rules: FieldRules): unknown {
  if (isJsonObject(wanted)) return mergeInner(isJsonObject(last) ? last : {}, wanted, live, rules);
  if (!rules.isMerged || !Array.isArray(wanted) || !Array.isArray(live)) return wanted;
  const before: readonly unknown[] = Array.isArray(last) ? last : [];
  const { mergeKey } = rules;
  if (mergeKey === undefined) return mergePlainList(before, wanted, live);
  // Items that are no objects have no key: such a list is not merged, and validation rejects it.
  return !wanted.every(isJsonObject) || !live.every(isJsonObject)
    ? wanted
    : mergeKeyedList(asItems(before, mergeKey), asItems(wanted, mergeKey), asItems(live, mergeKey), rules);
}

/**
 * Merges an object in a field or list. Setting another member of a union removes members that the manifest does not
 * name.
 */
function mergeInner(last: JsonObject, wanted: JsonObject, live: unknown, rules: FieldRules): JsonObject {
  const known = isJsonObject(live) ? live : {};
  const merged = mergeObject(last, wanted, known, rules.typeName);
  if (!rules.retainsKeys || isSameJson(merged, known)) return merged;
  return Object.fromEntries([...fieldMap(merged)].filter(([field]) => Object.hasOwn(wanted, field)));
}

function mergePlainList(last: readonly unknown[], wanted: readonly unknown[], live: readonly unknown[]): unknown[] {
  const kept = live.filter((item) => wanted.includes(item) || !last.includes(item));
  return inPatchOrder([...new Set([...kept, ...wanted])], (item) => item, wanted, live);
}

/** An item of a list with an id: its merge key and its number among items with this key. */
interface Item {
  readonly id: string;
  readonly value: JsonObject;
}

/** Adds ids to items. Ports may share a number and variables a name: the second is compared with the second. */
function asItems(list: readonly unknown[], mergeKey: string): Item[] {
  const counts = new Map<unknown, number>();
  return list.filter(isJsonObject).map((value) => {
    const key = value[mergeKey];
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return { id: JSON.stringify([key, count]), value };
  });
}

function mergeKeyedList(
  last: readonly Item[],
  wanted: readonly Item[],
  live: readonly Item[],
  rules: FieldRules,
): JsonObject[] {
  const lastById = byId(last);
  const wantedIds = new Set(wanted.map(({ id }) => id));
  const merged = byId(live.filter(({ id }) => wantedIds.has(id) || !lastById.has(id)));
  for (const { id, value } of wanted) {
    merged.set(id, mergeInner(lastById.get(id) ?? {}, value, merged.get(id), rules));
  }
  const idOf = ([id]: readonly [string, JsonObject]): string => id;
  const ordered = inPatchOrder(
    [...merged],
    idOf,
    [...wantedIds],
    live.map(({ id }) => id),
  );
  return ordered.map(([, value]) => value);
}

function byId(items: readonly Item[]): Map<string, JsonObject> {
  return new Map(items.map(({ id, value }) => [id, value]));
}
