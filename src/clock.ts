import type { Instant } from './api/time.ts';

/** An alarm that has been set; cancelling one that has rung does nothing. */
export interface Alarm {
  cancel(): void;
}

/**
 * Time, handed to whoever needs it, so that the same code runs in real life and in a simulation. This file is the
 * only one that reads the machine's clocks or sets a timer.
 */
export interface Clock {
  now(): Instant;
  /** Calls `run` once, as soon as `monotonicMs` is reached; never before the caller has returned. */
  wakeAt(monotonicMs: number, run: () => void): Alarm;
}

// Test runners replace these to make up the time of what they test. What podrun runs lives in real time all the same.
const { clearTimeout, setImmediate, setTimeout } = globalThis;
const { now: coarseNow } = Date;
const { hrtime } = process;

/** Calls back in the next lap of the event loop. */
export const inNextLap: (run: () => void) => void = (run) => void setImmediate(run);

// setTimeout takes at most 2^31-1 ms; a longer alarm is set again when that has passed.
const TIMER_LIMIT_MS = 2 ** 31 - 1;

/** The clocks of this machine. Wall time has microseconds and does not repeat, so that order survives in timestamps. */
export class SystemClock implements Clock {
  /** What the stopwatch has to be corrected by to show the time of day. */
  readonly #offsetMs = coarseNow() - stopwatchMs();
  #lastWallMs = 0;

  now(): Instant {
    const monotonicMs = stopwatchMs();
    const precise = this.#offsetMs + monotonicMs;
    const coarse = coarseNow();
    // The precise reading misses clock changes and suspends; where the two differ by more, the coarse one is right.
    let wallMs = Math.abs(precise - coarse) < 2 ? precise : coarse;
    if (wallMs <= this.#lastWallMs && this.#lastWallMs - wallMs < 2) wallMs = this.#lastWallMs + 0.001;
    this.#lastWallMs = wallMs;
    return { monotonicMs, wallMs };
  }

  wakeAt(monotonicMs: number, run: () => void): Alarm {
    let timer: NodeJS.Timeout;
    const arm = (leftMs: number): void => {
      timer = setTimeout(ring, Math.min(TIMER_LIMIT_MS, Math.max(0, Math.ceil(leftMs))));
    };
    // Node counts from the beginning of a lap of the event loop: set late in a long one, a timer rings early.
    const ring = (): void => {
      const leftMs = monotonicMs - stopwatchMs();
      if (leftMs > 0) arm(leftMs);
      else run();
    };
    arm(monotonicMs - stopwatchMs());
    return { cancel: () => clearTimeout(timer) };
  }
}

/** The same clock as `performance.now()`, without the module behind it, which every start would pay for. */
function stopwatchMs(): number {
  const [seconds, nanos] = hrtime();
  return seconds * 1000 + nanos / 1e6;
}
