import {
  findResults,
  goQuote,
  goType,
  JsonPathError,
  parseQuantity,
  parseTemplate,
  PodrunError,
  relaxedPath,
} from '../../api/index.ts';

/** Objects in the order of `--sort-by`, or kubectl's error about a path that no object has. */
export type Sorted<T> = { readonly objects: readonly T[] } | { readonly problem: PodrunError };

interface Keyed<T> {
  readonly object: T;
  /** The first value at the path. Undefined when there is none. */
  readonly key: unknown;
}

/** The length up to which Go uses insertion sort, which decides the order of objects without the field. */
const INSERTION = 12;

/**
 * Sorts objects by the value at a path: numbers by value, quantities by size, other texts by character. Objects without
 * the field come first. Source: kubectl/pkg/cmd/get/sorter.go.
 * @throws {PodrunError} when the values have no order
 */
export function sortObjects<T>(objects: readonly T[], path: string): Sorted<T> {
  try {
    const relaxed = relaxedPath(path);
    const template = parseTemplate(relaxed);
    const keyed = objects.map((object): Keyed<T> => {
      const [first = []] = findResults(template, object, { allowMissingKeys: true });
      return { object, key: first[0] };
    });
    if (objects.length > 0 && keyed.every(({ key }) => key === undefined)) {
      return {
        problem: new PodrunError(
          'NotFound',
          `couldn't find any field with path ${goQuote(relaxed)} in the list of objects`,
        ),
      };
    }
    return { objects: inOrder(keyed, relaxed).map(({ object }) => object) };
  } catch (error) {
    if (error instanceof JsonPathError) return { problem: new PodrunError('BadRequest', error.message) };
    throw error;
  }
}

function inOrder<T>(keyed: readonly Keyed<T>[], path: string): Keyed<T>[] {
  const isLess = (a: Keyed<T>, b: Keyed<T>): boolean =>
    a.key === undefined || (b.key !== undefined && less(a, b, path));
  if (keyed.length > INSERTION) {
    const missing = keyed.filter(({ key }) => key === undefined).toReversed();
    const present = keyed.filter(({ key }) => key !== undefined);
    return [...missing, ...present.sort((a, b) => Number(isLess(b, a)) - Number(isLess(a, b)))];
  }
  const sorted: Keyed<T>[] = [];
  for (const item of keyed) {
    let at = sorted.length;
    while (at > 0 && isLess(item, sorted[at - 1] as Keyed<T>)) at -= 1;
    sorted.splice(at, 0, item);
  }
  return sorted;
}

function less<T>({ key: a }: Keyed<T>, { key: b }: Keyed<T>, path: string): boolean {
  if (a === null || b === null) return a === null && b !== null;
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (typeof a === 'string' && typeof b === 'string') return lessText(a, b);
  throw new PodrunError('BadRequest', `Field ${path} has no order: unsortable type: ${goType(a)}`);
}

function lessText(a: string, b: string): boolean {
  const [left, right] = [quantity(a), quantity(b)];
  return left === undefined || right === undefined ? a < b : left < right;
}

function quantity(text: string): bigint | undefined {
  try {
    return parseQuantity(text).nano;
  } catch (error) {
    if (error instanceof PodrunError) return undefined;
    throw error;
  }
}
