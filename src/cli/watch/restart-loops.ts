/** A file that changes so soon after a restart was written by what was restarted. */
const SOON_MS = 1500;
/** The restarts in a row after which a file is not followed any more. */
const MOST_RESTARTS = 3;

/**
 * Finds the files that programs write themselves when they start: a log in the followed folder would restart them for
 * ever.
 */
export class RestartLoops {
  /** By file: the restarts in a row that it has caused, and the time of the last one. */
  readonly #causes = new Map<string, { readonly count: number; readonly atMs: number }>();
  readonly #unfollowed = new Set<string>();

  /** True for a file that is not followed any more. */
  has(file: string): boolean {
    return this.#unfollowed.has(file);
  }

  /** Takes the cause of a restart. Returns true if the file is not followed from now on. */
  restarts(file: string, nowMs: number): boolean {
    const before = this.#causes.get(file);
    const isAgain = before !== undefined && nowMs - before.atMs < SOON_MS;
    const count = isAgain ? before.count + 1 : 1;
    this.#causes.set(file, { count, atMs: nowMs });
    if (count < MOST_RESTARTS) return false;
    this.#unfollowed.add(file);
    return true;
  }
}
