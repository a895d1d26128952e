import type { KubeObject, StoredKubeObject } from '../../api/index.ts';
import { type Clock, machineClock, nextPart, SLICE_MS } from '../../clock.ts';

/** The versions of an object for which a change is computed in a turn of its own: each time, it may have changed. */
const VERSIONS_MAX = 3;

/** Thrown while the store is locked, to release it: further requests come first. */
class Computed extends Error {}

/**
 * A change of an object, which may have ten thousand fields: when computing it takes long, it is stored in a later turn
 * of the event loop, and computed again if the stored object has changed meanwhile.
 */
export class LongChange<T extends KubeObject> {
  readonly #compute: (stored: StoredKubeObject) => T;
  readonly #clock: Clock;
  /** The result, for one version of the stored object. */
  #known: { readonly version: string | undefined; readonly object: T } | undefined;
  #versions = 0;

  constructor(compute: (stored: StoredKubeObject) => T, clock: Clock) {
    this.#compute = compute;
    this.#clock = clock;
  }

  /** Stores the change: calls `attempt`, which asks for the changed object while the store is locked. */
  async run<R>(attempt: () => R): Promise<R> {
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!(error instanceof Computed)) throw error;
        await nextPart(this.#clock);
      }
    }
  }

  /** The changed object. */
  of(stored: StoredKubeObject): T {
    const version = stored.metadata.resourceVersion;
    if (this.#known !== undefined && this.#known.version === version) return this.#known.object;
    const beganMs = machineClock(this.#clock).now().monotonicMs;
    const object = this.#compute(stored);
    this.#known = { version, object };
    this.#versions += 1;
    const isLong = machineClock(this.#clock).now().monotonicMs - beganMs > SLICE_MS;
    if (isLong && this.#versions <= VERSIONS_MAX) throw new Computed();
    return object;
  }
}
