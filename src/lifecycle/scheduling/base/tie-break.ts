/** The number that chooses where nothing else does. */
export interface SchedulingTurn {
  /** The same seed makes the same choices. */
  readonly seed: number;
  /** The number of Pods that came to the scheduler before this one. */
  readonly order: number;
}

/**
 * Picks one of several equal nodes. kube-scheduler picks at random: podrun by seed, order of the Pod and name, so that
 * runs repeat.
 */
export function pickNode(names: readonly string[], { seed, order }: SchedulingTurn): string {
  const ranked = names.map((name) => ({ name, rank: hashOf(`${seed}/${order}/${name}`) }));
  return ranked.toSorted((one, other) => one.rank - other.rank)[0]?.name ?? '';
}

/** FNV-1a of 32 bits, then the last step of MurmurHash3: without it, names that differ in their end alone are close. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
