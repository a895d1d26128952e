import type { PathStep } from './model.ts';

/** A step before it is known when it was. */
export type NewStep = Omit<PathStep, 'share' | 'fromMs' | 'toMs'>;

/** Lays steps end to end, from the creation of a Pod on: one never begins before the one before it has ended. */
export class PathWriter {
  readonly endMs: number;
  readonly #steps: Array<Omit<PathStep, 'share'>> = [];
  #atMs = 0;

  /** @param endMs where the path ends */
  constructor(endMs: number) {
    this.endMs = endMs;
  }

  /** How far the path has come. */
  get atMs(): number {
    return this.#atMs;
  }

  get steps(): ReadonlyArray<Omit<PathStep, 'share'>> {
    return this.#steps;
  }

  /** What went on until that moment; nothing when the path has come further than that already. */
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

/** What is undefined is left out. */
function definedOf(step: NewStep): NewStep {
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== undefined)) as unknown as NewStep;
}
