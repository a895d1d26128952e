/**
 * What the decoder hands on: every field that is there has the right JSON type, but any field may be missing and any
 * string may hold any text. Defaulting and validation read objects in this form; what passes both is a `T`.
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

/** The value of a map at a key that a manifest made up: `constructor` is a key like any other. */
export function lookUp<T>(map: Readonly<Record<string, T | undefined>> | undefined, key: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Entries of a map, sorted by key, so that messages come in the same order every time. */
export function sortedEntries<T>(map: Readonly<Record<string, T | undefined>> | undefined): [string, T][] {
  const entries = Object.entries(map ?? {}).filter((entry): entry is [string, T] => entry[1] !== undefined);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}
