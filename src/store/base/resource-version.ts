import type { Clock } from '../../clock.ts';

/**
 * Makes resource versions: microseconds since 1970, as text. The version of an object grows with every change, also
 * when the wall clock is set back. Versions of different processes compare roughly by age.
 */
export class VersionSource {
  readonly #clock: Clock;
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A version later than `previous` and than all earlier versions of this source. */
  next(previous?: string): string {
    const nowMicros = Math.floor(this.#clock.now().wallMs * 1000);
    this.#last = Math.max(nowMicros, this.#last + 1, Number(previous ?? 0) + 1);
    return String(this.#last);
  }

  /** Makes all versions from now on later than this one. */
  passOver(version: number): void {
    this.#last = Math.max(this.#last, version);
  }
}

/**
 * The latest time at which podrun has written one of the objects, milliseconds since 1970. It is later than the present
 * for objects of a run whose time passed faster (`--speed`). Versions of a cluster count as long past.
 */
export function lastWrittenMs(objects: ReadonlyArray<{ readonly metadata: { resourceVersion?: string } }>): number {
  return objects.reduce((last, { metadata }) => Math.max(last, Number(metadata.resourceVersion ?? 0) / 1000), 0);
}
