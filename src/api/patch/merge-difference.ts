import { fieldMap, isJsonObject, isSameJson, type JsonObject } from '../base/json.ts';

/** The merge patch (RFC 7386) that makes the second object of the first one. Empty: they are the same. */
export function mergeDifference(before: JsonObject, after: JsonObject): JsonObject {
  const [old, wanted] = [fieldMap(before), fieldMap(after)];
  const patch: [string, unknown][] = [...old.keys()].filter((key) => !wanted.has(key)).map((key) => [key, null]);
  for (const [key, value] of wanted) {
    const present = old.get(key);
    if (isSameJson(present, value)) continue;
    patch.push([key, isJsonObject(present) && isJsonObject(value) ? mergeDifference(present, value) : value]);
  }
  return Object.fromEntries(patch);
}
