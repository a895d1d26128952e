/** A JSON object in patches. A field that is `undefined` counts as absent. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The present fields. A Map, because a key may be `__proto__`. */
export function fieldMap(object: JsonObject): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const name of Object.keys(object)) if (object[name] !== undefined) fields.set(name, object[name]);
  return fields;
}

/**
 * Sets a field of a new object. Takes any name: an assignment to `__proto__` would set no field. For objects of ten
 * thousand fields, `Object.fromEntries` takes twice as long.
 */
export function setField(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * The value of a table or a map at a key that comes from outside. It may be any text, even `constructor`, which each
 * object inherits.
 */
export function ownValue<T>(map: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** True when two values are equal, whatever the order of their fields. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => isSameJson(item, right[index]));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  // No Map and no copy here: each step compares states of Pods.
  let extra = 0;
  for (const key of Object.keys(right)) if (right[key] !== undefined) extra += 1;
  for (const key of Object.keys(left)) {
    if (left[key] === undefined) continue;
    if (!Object.hasOwn(right, key) || !isSameJson(left[key], right[key])) return false;
    extra -= 1;
  }
  return extra === 0;
}

/** JSON as Go writes a struct: with characters escaped, so that it may stand in HTML. Takes bigints. */
export function goJson(value: unknown): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? Number(item) : item));
  return text.replaceAll(/[<>&\u2028\u2029]/g, escaped);
}

/** JSON as Go writes a map: with its keys in order as well, at each depth. */
export function goMapJson(value: unknown): string {
  return goJson(withSortedKeys(value));
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isJsonObject(value)) return value;
  const keys = [...fieldMap(value).keys()].toSorted();
  return Object.fromEntries(keys.map((key) => [key, withSortedKeys(value[key])]));
}
