import type { Clock } from '../clock.ts';

/**
 * Gives out resource versions: microseconds since 1970, as text. They grow with every change of an object, also when
 * the machine's clock is set back, and those of different processes compare (roughly) by age.
 */
export class VersionSource {
  readonly #clock: Clock;
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A version later than `previous`, and than all that this source gave out. */
  next(previous?: string): string {
    const nowMicros = Math.floor(this.#clock.now().wallMs * 1000);
    this.#last = Math.max(nowMicros, this.#last + 1, Number(previous ?? 0) + 1);
    return String(this.#last);
  }
}

/** The later one of two versions. */
export function laterVersion(one: string, other: string): string {
  return Number(one) >= Number(other) ? one : other;
}
