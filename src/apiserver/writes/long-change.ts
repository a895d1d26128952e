import type { KubeObject, PartRunner, StoredKubeObject } from '../../api/index.ts';
import { type Clock, machineClock, nextPart, SLICE_MS } from '../../clock.ts';

/**
 * A change of a stored object. It may be called again, with a newer object.
 * @param step runs its parts, if it has some
 */
export type ChangeOfStored = (stored: StoredKubeObject, step?: PartRunner) => KubeObject;

/** The versions of an object for which a change is computed in turns of its own: each time, it may have changed. */
const VERSIONS_MAX = 3;

/** Thrown while the store is locked, to release it: further requests come first. */
class Computed extends Error {}

/**
 * A change of an object, which may have ten thousand fields: when the steps of computing it take long, the rest follows
 * in a later turn of the event loop. All is computed again if the stored object has changed meanwhile.
 */
export class LongChange<T extends KubeObject, Before extends KubeObject = StoredKubeObject> {
  readonly #compute: (before: Before) => T;
  readonly #clock: Clock;
  /** The results of the steps so far by name, for one version of the stored object. */
  readonly #known = new Map<string, unknown>();
  #version: string | undefined;
  #versions = 0;
  /** The time at which this attempt to store the change began. */
  #beganMs = 0;

  /** @param compute gets the stored object, or the new one that is to be stored */
  constructor(compute: (before: Before) => T, clock: Clock) {
    this.#compute = compute;
    this.#clock = clock;
  }

  /** Stores the change: calls `attempt`, which asks for the changed object while the store is locked. */
  async run<R>(attempt: () => R): Promise<R> {
    for (;;) {
      this.#beganMs = this.#nowMs;
      try {
        return attempt();
      } catch (error) {
        if (!(error instanceof Computed)) throw error;
        await nextPart(this.#clock);
      }
    }
  }

  /** The changed object. */
  of(before: Before): T {
    return this.step('', before, () => this.#compute(before));
  }

  /** A part of the change, which may have a turn of the event loop to itself. It depends on the stored object alone. */
  step<R>(name: string, { metadata: { resourceVersion } }: KubeObject, compute: () => R): R {
    if (this.#versions === 0 || this.#version !== resourceVersion) {
      this.#known.clear();
      this.#version = resourceVersion;
      this.#versions += 1;
    }
    if (this.#known.has(name)) return this.#known.get(name) as R;
    const result = compute();
    this.#known.set(name, result);
    const isLong = this.#nowMs - this.#beganMs > SLICE_MS;
    if (isLong && this.#versions <= VERSIONS_MAX) throw new Computed();
    return result;
  }
  get #nowMs(): number {
    return machineClock(this.#clock).now().monotonicMs;
  }
}
