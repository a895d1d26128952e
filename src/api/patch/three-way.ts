import type { KubeObject } from '../objects.ts';
import { rulesOf, typeOf, type FieldRules } from './field-rules.ts';
import { fieldMap, isJsonObject, isSameJson, type JsonObject } from '../json.ts';
import { inPatchOrder } from './list-order.ts';

/**
 * What `kubectl apply` makes of an object that exists: what the manifest says is set, what it said the last time and
 * says no more is taken away, everything else stays as it is, so that others keep what they have set. Lists are merged
 * item by item where a strategic merge patch would.
 * Source: strategicpatch.CreateThreeWayMergePatch, and the patch it makes applied to the live object.
 * @param lastApplied the manifest of the last time; undefined when there was none: then nothing is taken away
 * @param wanted the manifest as it was written: a default that was filled in would overwrite what others have set
 */
export function threeWayMerge(lastApplied: KubeObject | undefined, wanted: KubeObject, live: KubeObject): KubeObject {
  return mergeObject(lastApplied ?? {}, wanted, live, typeOf(live)) as KubeObject;
}

function mergeObject(last: JsonObject, wanted: JsonObject, live: JsonObject, typeName: string | undefined): JsonObject {
  const fields = fieldMap(live);
  const wantedFields = fieldMap(wanted);
  const lastFields = fieldMap(last);
  for (const field of lastFields.keys()) if (!wantedFields.has(field)) fields.delete(field);
  for (const [field, value] of wantedFields) {
    // A null in a manifest asks for the default.
    if (value === null) fields.delete(field);
    else fields.set(field, mergeValue(lastFields.get(field), value, fields.get(field), rulesOf(typeName, field)));
  }
  return Object.fromEntries(fields);
}

function mergeValue(last: unknown, wanted: unknown, live: unknown, rules: FieldRules): unknown {
  if (isJsonObject(wanted)) return mergeInner(isJsonObject(last) ? last : {}, wanted, live, rules);
  if (!rules.isMerged || !Array.isArray(wanted) || !Array.isArray(live)) return wanted;
  const before: readonly unknown[] = Array.isArray(last) ? last : [];
  const { mergeKey } = rules;
  if (mergeKey === undefined) return mergePlainList(before, wanted, live);
  // What is no object has no key: such a list is none that could be merged, and is refused by others.
  return !wanted.every(isJsonObject) || !live.every(isJsonObject)
    ? wanted
    : mergeKeyedList(asItems(before, mergeKey), asItems(wanted, mergeKey), asItems(live, mergeKey), rules);
}

/** An object in a field or in a list. Setting another member of a union takes away what the manifest does not name. */
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

/** An item of a list with what tells it apart: its merge key, and which one of several with that key it is. */
interface Item {
  readonly id: string;
  readonly value: JsonObject;
}

/** Ports may share a number and variables a name: the second of them is compared with the second. */
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
