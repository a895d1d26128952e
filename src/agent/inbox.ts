import type { Observation } from '../lifecycle/observation.ts';

/** The observations of one step, or a request to look at the Pod again. */
export type Heard = readonly Observation[] | 'look';

type Shared = Extract<Observation, { type: 'started' | 'exited' | 'swept' }>;

/**
 * Takes the observations about one Pod and has them handled one step at a time. A step is one observation, or the same
 * one of several containers in the same moment: all started, all exited or all gone.
 */
export class Inbox {
  readonly #handle: (heard: Heard) => void;
  readonly #waiting: Array<Observation | 'look'> = [];
  #isDraining = false;

  constructor(handle: (heard: Heard) => void) {
    this.#handle = handle;
  }

  /** What arrives while a step is being handled waits for its turn. */
  put(seen: Observation | 'look'): void {
    this.#waiting.push(seen);
    if (this.#isDraining) return;
    if (!isShared(seen)) return this.#drain();
    // Of fifty containers that come or go, others are heard of in the same moment.
    if (this.#waiting.length === 1) queueMicrotask(() => this.#drain());
  }

  #drain(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        this.#handle(next === 'look' ? next : [next, ...this.#sameOfOthers(next)]);
      }
    } finally {
      this.#isDraining = false;
    }
  }

  /** What was heard next, as long as it is the same of yet another container: each of them still has its own state. */
  #sameOfOthers(first: Observation): Observation[] {
    if (!isShared(first)) return [];
    const containers = new Set([first.container]);
    const end = this.#waiting.findIndex((seen) => {
      const isSame = isShared(seen) && seen.type === first.type && !containers.has(seen.container);
      if (isSame) containers.add(seen.container);
      return !isSame;
    });
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end) as Observation[];
  }
}

/** May it be told together with the same of other containers? */
function isShared(seen: Observation | 'look'): seen is Shared {
  return seen !== 'look' && (seen.type === 'started' || seen.type === 'exited' || seen.type === 'swept');
}
