import { isDeleted, PATCH, withoutDirectives, readDirectives, unknownDirective } from './directives.ts';
import { badRequest, goJsonType, goValue, rejectedRequest, serverError } from './errors.ts';
import { fieldRulesOf, type FieldRules } from './field-rules.ts';
import { fieldMap, isJsonObject, type JsonObject } from '../base/json.ts';
import { inPatchOrder } from './list-order.ts';

/**
 * Applies a strategic merge patch: merges objects, deletes fields that are null, and merges lists by key where the API
 * has a merge key. Replaces everything else. Directives change these rules. Source:
 * staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go, mergeMap.
 * @param typeName the type of the object in the field table; undefined: unknown
 * @throws PodrunError when the patch is malformed
 */
export function applyStrategicPatch(object: JsonObject, patch: unknown, typeName: string | undefined): JsonObject {
  if (patch === null) return object;
  if (isJsonObject(patch)) return mergeObject(object, patch, typeName);
  const type = goJsonType(patch);
  throw badRequest(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);
}

function mergeObject(original: JsonObject, patch: JsonObject, typeName: string | undefined): JsonObject {
  const directive = patch[PATCH];
  if (directive === 'delete') return {};
  // Like Kubernetes, ignores directives inside a replacement.
  if (directive === 'replace') return withoutDirectives(patch) as JsonObject;
  if (directive !== undefined) throw unknownDirective(patch);
  const { values, retained, orders, deletions } = readDirectives(patch);
  const fields = fieldMap(original);
  if (retained !== undefined) for (const key of fields.keys()) if (!retained.has(key)) fields.delete(key);
  for (const [field, value] of values) {
    if (value === null || (isDeleted(value) && !fields.has(field))) fields.delete(field);
    else fields.set(field, mergeValue(fields.get(field), value, fieldRulesOf(typeName, field)));
  }
  for (const [field, unwanted] of deletions) {
    const list = fields.get(field);
    if (Array.isArray(list))
      fields.set(
        field,
        list.filter((item) => !unwanted.includes(item)),
      );
  }
  for (const [field, order] of orders) {
    const list = fields.get(field);
    if (!Array.isArray(list)) continue;
    const { mergeKey } = fieldRulesOf(typeName, field);
    checkOrder(values.get(field), order, mergeKey);
    const before = original[field];
    fields.set(field, inOrder(list, order, Array.isArray(before) ? before : [], mergeKey));
  }
  return Object.fromEntries(fields);
}

/** Checks that the items of a patch are in its order. */
function checkOrder(patch: unknown, order: readonly unknown[], mergeKey: string | undefined): void {
  if (!Array.isArray(patch) || order.length === 0) return;
  const ids = order.map(idsBy(mergeKey));
  let index = 0;
  for (const item of patch.filter((item: unknown) => !isJsonObject(item) || item[PATCH] === undefined)) {
    index = ids.indexOf(idsBy(mergeKey)(item), index) + 1;
    if (index > 0) continue;
    const lists = [patch, order].map(goValue);
    throw serverError(`The order in patch list:\n${lists[0]}\n doesn't match $setElementOrder list:\n${lists[1]}\n`);
  }
}

function mergeValue(original: unknown, patch: unknown, rules: FieldRules): unknown {
  if (isJsonObject(original) && isJsonObject(patch)) return mergeObject(original, patch, rules.typeName);
  if (!Array.isArray(original) || !Array.isArray(patch)) return withoutDirectives(patch);
  return rules.isMerged ? mergeList(original, patch, rules) : patch;
}

function mergeList(original: readonly unknown[], patch: readonly unknown[], rules: FieldRules): readonly unknown[] {
  if (patch.length === 0) return original;
  const items = [...original, ...patch];
  if (items.some(Array.isArray)) throw rejectedRequest('lists of lists are not supported');
  if (new Set(items.map(goJsonType)).size > 1) {
    throw serverError(`list element types are not identical: ${goValue([original, patch])}`);
  }
  if (!items.every(isJsonObject)) return inOrder([...new Set(items)], patch, original, undefined);
  const { mergeKey } = rules;
  if (mergeKey === undefined) throw serverError('cannot merge lists without merge key for type struct');
  return mergeKeyedList(original as readonly JsonObject[], patch as readonly JsonObject[], mergeKey, rules);
}

function mergeKeyedList(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
  { typeName, retainsKeys }: FieldRules,
): readonly JsonObject[] {
  const changes = patch.filter((item) => item[PATCH] === undefined);
  const directed = patch.filter((item) => item[PATCH] !== undefined);
  for (const item of directed) if (item[PATCH] !== 'delete' && item[PATCH] !== 'replace') throw refusedInList(item);
  const deletions = directed.filter((item) => item[PATCH] === 'delete');
  const deleted = new Set(deletions.map((item) => keyOf(item, mergeKey)));
  if (directed.some((item) => item[PATCH] === 'replace'))
    return changes.map((item) => withoutDirectives(item) as JsonObject);
  const merged: JsonObject[] = original.filter((item) => !deleted.has(item[mergeKey]));
  for (const item of changes) {
    const key = keyOf(item, mergeKey);
    const index = merged.findIndex((other) => other[mergeKey] === key);
    const known = merged[index];
    if (known === undefined) merged.push(withoutDirectives(item) as JsonObject);
    else merged[index] = mergeObject(retainsKeys ? withNewMember(known, item) : known, item, typeName);
  }
  return inOrder(merged, changes, original, mergeKey) as readonly JsonObject[];
}

/**
 * An item of a list of unions, such as a volume: a new member replaces the previous member, whether or not the patch
 * has `$retainKeys`.
 */
function withNewMember(item: JsonObject, patch: JsonObject): JsonObject {
  const isNew = Object.entries(patch).some(
    ([key, value]) => value !== null && !key.startsWith('$') && item[key] === undefined,
  );
  return isNew ? Object.fromEntries([...fieldMap(item)].filter(([key]) => Object.hasOwn(patch, key))) : item;
}

function refusedInList(item: JsonObject): Error {
  return item[PATCH] === 'merge'
    ? serverError('merging lists cannot yet be specified in the patch')
    : unknownDirective(item);
}

function inOrder(
  list: readonly unknown[],
  order: readonly unknown[],
  before: readonly unknown[],
  mergeKey: string | undefined,
): unknown[] {
  const idOf = idsBy(mergeKey);
  return inPatchOrder(list, idOf, order.map(idOf), before.map(idOf));
}

/** The id of an item: its merge key, or itself in a list of plain values. */
function idsBy(mergeKey: string | undefined): (item: unknown) => unknown {
  return (item) => (mergeKey === undefined ? item : keyOf(isJsonObject(item) ? item : {}, mergeKey));
}

function keyOf(item: JsonObject, mergeKey: string): unknown {
  const key = item[mergeKey];
  if (key === undefined) throw serverError(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);
  return key;
}
