import type { PathStep } from './model.ts';

/** A step without its times. */
export type NewStep = Omit<PathStep, 'share' | 'fromMs' | 'toMs'>;

/** Joins steps without gaps, from the creation of a Pod on. Each step begins at the end of the previous one. */
export class PathWriter {
  readonly endMs: number;
  readonly #steps: Array<Omit<PathStep, 'share'>> = [];
  #atMs = 0;

  /** @param endMs the end of the path */
  constructor(endMs: number) {
    this.endMs = endMs;
  }

  /** The end of the path so far. */
  get atMs(): number {
    return this.#atMs;
  }

  get steps(): ReadonlyArray<Omit<PathStep, 'share'>> {
    return this.#steps;
  }

  /** Adds a step until a time. Does nothing when the path is already past this time. */
  add(step: NewStep, untilMs: number): void {
    const toMs = Math.min(untilMs, this.endMs);
    if (toMs <= this.#atMs) return;
    const before = this.#steps.at(-1);
    const fromMs = this.#atMs;
    this.#atMs = toMs;
    if (before !== undefined && isSame(before, step)) this.#steps[this.#steps.length - 1] = { ...before, toMs };
    else this.#steps.push({ ...definedOf(step), fromMs, toMs });
  }
}

function isSame({ fromMs: _from, toMs: _to, ...before }: Omit<PathStep, 'share'>, step: NewStep): boolean {
  return JSON.stringify(before) === JSON.stringify(definedOf(step));
}

/** Leaves out undefined fields. */
function definedOf(step: NewStep): NewStep {
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== undefined)) as unknown as NewStep;
}
