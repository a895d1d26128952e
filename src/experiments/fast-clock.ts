import type { Instant } from '../api/index.ts';
import type { Alarm, Clock } from '../clock.ts';

/** Makes up for the rounding of floating-point numbers, milliseconds: no alarm rings before its time. */
const ROUNDING_MS = 1e-6;

/**
 * A clock on which time passes faster than on this machine, from now on. Its wall clock continues from the present, so
 * that one of its minutes is a minute in all timestamps.
 */
export class FastClock implements Clock {
  readonly machine: Clock;
  readonly #speed: number;
  readonly #origin: Instant;
  #jumpMs = 0;

  /** @param speed how many times as fast */
  constructor(machine: Clock, speed: number) {
    this.machine = machine;
    this.#speed = speed;
    this.#origin = machine.now();
  }

  now(): Instant {
    const { monotonicMs, wallMs } = this.machine.now();
    const origin = this.#origin;
    return {
      monotonicMs: origin.monotonicMs + (monotonicMs - origin.monotonicMs) * this.#speed,
      wallMs: origin.wallMs + (wallMs - origin.wallMs) * this.#speed + this.#jumpMs,
    };
  }

  wakeAt(monotonicMs: number, run: () => void): Alarm {
    const origin = this.#origin.monotonicMs;
    return this.machine.wakeAt(origin + (monotonicMs - origin) / this.#speed + ROUNDING_MS, run);
  }

  /** Sets the wall clock by so much. The stopwatch does not change. */
  jumpWall(ms: number): void {
    this.#jumpMs += ms;
  }
}
