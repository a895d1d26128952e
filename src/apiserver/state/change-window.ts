import type { StoredKubeObject } from '../../api/index.ts';
import type { InformerChange } from '../../store/index.ts';

/** A change of an object. */
export interface StoredChange extends InformerChange<StoredKubeObject> {
  /** The number of the change: see ServedObjects. */
  readonly version: number;
}

/** The changes of a resource that are kept: a client that was away for a moment resumes after its last one. */
const KEPT = 4096;
/** The changes that are kept also when they are old. Source: cacher/watch_cache.go, defaultLowerBoundCapacity. */
const KEPT_OLD = 100;

/** The latest changes of a resource, in order. */
export class ChangeWindow {
  /** The version before the oldest change that is kept. */
  #floor: number;
  #changes: StoredChange[] = [];

  constructor(floor: number) {
    this.#floor = floor;
  }

  add(change: StoredChange): void {
    this.#changes.push(change);
    // Half of them at once: each removal moves the rest.
    if (this.#changes.length > 2 * KEPT) this.#drop(this.#changes.length - KEPT);
  }

  /** Drops old changes: objects that are gone would stay in memory. */
  dropUntil(version: number): void {
    const old = this.#changes.length - (this.after(version)?.length ?? this.#changes.length);
    this.#drop(Math.min(old, this.#changes.length - KEPT_OLD));
  }

  #drop(dropped: number): void {
    if (dropped <= 0) return;
    this.#floor = this.#changes[dropped - 1]?.version ?? this.#floor;
    this.#changes = this.#changes.slice(dropped);
  }

  /** The changes after a version. Undefined when some of them are no longer kept. */
  after(version: number): readonly StoredChange[] | undefined {
    if (version < this.#floor) return undefined;
    let [low, high] = [0, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.version ?? 0) > version) high = middle;
      else low = middle + 1;
    }
    return this.#changes.slice(low);
  }
}
