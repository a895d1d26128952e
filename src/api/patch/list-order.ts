/**
 * Orders a merged list: the items of the patch in the patch's order, the others near their previous places. Source:
 * staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go, normalizeElementOrder and mergeSortedSlice.
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
  const wantedPlaces = placesOf(wanted);
  const livePlaces = placesOf(live);
  const place = (places: ReadonlyMap<unknown, number>, item: T): number => places.get(idOf(item)) ?? places.size;
  const named = items
    .filter((item) => wantedPlaces.has(idOf(item)))
    .toSorted((a, b) => place(wantedPlaces, a) - place(wantedPlaces, b));
  const others = items
    .filter((item) => !wantedPlaces.has(idOf(item)))
    .toSorted((a, b) => place(livePlaces, a) - place(livePlaces, b));
  const ordered: T[] = [];
  for (const item of named) {
    const before = livePlaces.get(idOf(item)) ?? -1;
    const end = others.findIndex((other) => place(livePlaces, other) >= before);
    ordered.push(...others.splice(0, end < 0 ? others.length : end), item);
  }
  return [...ordered, ...others];
}

function placesOf(ids: readonly unknown[]): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (const id of ids) if (!places.has(id)) places.set(id, places.size);
  return places;
}
