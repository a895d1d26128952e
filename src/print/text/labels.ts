import { compareText } from '../../api/index.ts';

/** The entries of a map in kubectl's order: by the bytes of the key, upper case first. */
export function sortedEntries<T>(map: Readonly<Record<string, T>> | undefined): [key: string, value: T][] {
  return Object.entries(map ?? {}).sort(([a], [b]) => compareText(a, b));
}

/** Labels on one line: `k=v,k=v` sorted by key, or `<none>`. */
export function labelText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = sortedEntries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.join(',');
}

/** The number of values that `firstFew` shows. */
const SHOWN = 3;

/** The first three values, and the number of the rest: `a,b,c + 2 more...`. Empty without values. */
export function firstFew(values: readonly string[]): string {
  const first = values.slice(0, SHOWN).join(',');
  return values.length <= SHOWN ? first : `${first} + ${values.length - SHOWN} more...`;
}
