/** JSON values as patches see them. A field that is `undefined` counts as absent. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields that are there. A Map, because a key may be `__proto__`. */
export function fieldMap(object: JsonObject): Map<string, unknown> {
  return new Map(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** Are two values the same, whatever the order of fields? */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => isSameJson(item, right[index]));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const [ours, theirs] = [fieldMap(left), fieldMap(right)];
  return ours.size === theirs.size && [...ours].every(([key, value]) => isSameJson(value, theirs.get(key)));
}
