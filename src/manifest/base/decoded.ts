/**
 * A decoded object: each present field has the right JSON type, but any field may be missing, and any string may hold
 * any text. Defaulting and validation work on this type. An object that passes both is a `T`.
 */
export type Decoded<T> = T extends string
  ? string
  : T extends number | boolean
    ? T
    : T extends readonly (infer Item)[]
      ? Decoded<Item>[]
      : T extends object
        ? { [Field in keyof T]?: Decoded<T[Field]> | undefined }
        : T;

/** The entries of a map, sorted by key: so messages always have the same order. */
export function entriesByKey<T>(map: Readonly<Record<string, T | undefined>> | undefined): [string, T][] {
  const entries: [string, T][] = [];
  for (const key of Object.keys(map ?? {}).sort()) {
    const value = map?.[key];
    if (value !== undefined) entries.push([key, value]);
  }
  return entries;
}
