/**
 * A number from 0 up to 1 that depends on the seed and the key alone, so that the order in which things happen does not
 * matter. FNV-1a, with the finalizer of MurmurHash3.
 */
export function chance(seed: number, key: string): number {
  let hash = 0x811c9dc5;
  for (const character of `${seed}/${key}`) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
