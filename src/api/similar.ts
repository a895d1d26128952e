/** The most edits between a mistyped name and its correction. */
const MAX_DISTANCE = 2;

/** Longer names are not compared: they are hardly ever typed by hand, and a comparison takes time. */
const MAX_LENGTH = 64;

/** The fewest letters that two names share in `sameEnding`. */
const MIN_PART = 4;

/** The number of letters to insert, remove or replace to turn one name into the other. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** The nearest candidate within edit distance 2. Ignores upper and lower case. The first of equals wins. */
export function mostSimilar(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  let best: string | undefined;
  let bestDistance = MAX_DISTANCE + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > MAX_DISTANCE) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    // Short names are similar to everything: at least half of the letters must match.
    if (distance >= bestDistance || distance * 2 > name.length) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/**
 * A sentence about a name that leads nowhere, with the names that there are.
 * @param what `the container has no port`
 */
export function noSuchName(what: string, name: string, known: readonly string[]): string {
  const list = [...new Set(known)].join(', ');
  return `${what} ${JSON.stringify(name)}${list === '' ? ' here' : `: there are ${list}`}`;
}

/** A hint for a mistyped name. Undefined: no candidate is similar. */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const meant = mostSimilar(name, candidates);
  return meant === undefined || meant === name ? undefined : `Did you mean ${JSON.stringify(meant)}?`;
}

/** The candidate that ends with the name, or with which the name ends: `name` and `secretName`. */
export function sameEnding(name: string, candidates: Iterable<string>): string | undefined {
  const lower = name.toLowerCase();
  for (const candidate of candidates) {
    const other = candidate.toLowerCase();
    const shorter = Math.min(lower.length, other.length);
    if (shorter >= MIN_PART && (lower.endsWith(other) || other.endsWith(lower))) return candidate;
  }
  return undefined;
}
