/**
 * Orders a merged list: the items of the patch in the patch's order, all other items near their previous indexes.
 * Source: staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go, normalizeElementOrder and mergeSortedSlice.
 * @param idOf the id of an item, compared with `===`
 * @param wanted ids in the order of the patch
 * @param live ids in the order of the previous list
 */
export function inPatchOrder<T>(
  items: readonly T[],
  idOf: (item: T) => unknown,
  wanted: readonly unknown[],
  live: readonly unknown[],
): T[] {
  const wantedIndexes = indexesOf(wanted);
  const liveIndexes = indexesOf(live);
  const indexOf = (indexes: ReadonlyMap<unknown, number>, item: T): number => indexes.get(idOf(item)) ?? indexes.size;
  const named = items
    .filter((item) => wantedIndexes.has(idOf(item)))
    .toSorted((a, b) => indexOf(wantedIndexes, a) - indexOf(wantedIndexes, b));
  const others = items
    .filter((item) => !wantedIndexes.has(idOf(item)))
    .toSorted((a, b) => indexOf(liveIndexes, a) - indexOf(liveIndexes, b));
  const ordered: T[] = [];
  for (const item of named) {
    const before = liveIndexes.get(idOf(item)) ?? -1;
    const end = others.findIndex((other) => indexOf(liveIndexes, other) >= before);
    ordered.push(...others.splice(0, end < 0 ? others.length : end), item);
  }
  return [...ordered, ...others];
}

function indexesOf(ids: readonly unknown[]): Map<unknown, number> {
  const indexes = new Map<unknown, number>();
  for (const id of ids) if (!indexes.has(id)) indexes.set(id, indexes.size);
  return indexes;
}
