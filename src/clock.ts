import type { Instant } from './api/index.ts';
import { caught } from './defects.ts';

/** An alarm. Cancelling an alarm that has rung does nothing. */
export interface Alarm {
  cancel(): void;
}

/**
 * The source of time. Handing it in lets the same code run in real life and in a simulation. Only this file reads the
 * machine's clocks or sets a timer.
 */
export interface Clock {
  now(): Instant;
  /** Calls `run` once when `monotonicMs` is reached, but never before the caller has returned. */
  wakeAt(monotonicMs: number, run: () => void): Alarm;
  /** The clock of this machine, where this clock runs faster. See {@link machineClock}. */
  readonly machine?: Clock;
  /** Shares the event loop. Undefined where no work takes time. */
  readonly turns?: Turns;
}

/** The clock for waits for programs of this machine: no flag makes these faster. */
export function machineClock(clock: Clock): Clock {
  return clock.machine ?? clock;
}

// Test runners replace these functions to fake time. podrun keeps the originals: containers live in real time.
const { clearTimeout, setImmediate, setTimeout } = globalThis;
const { now: coarseNow } = Date;
const { hrtime } = process;

/** Calls `run` in the next turn of the event loop. */
export const nextEventLoopTurn: (run: () => void) => void = (run) => void setImmediate(caught(run));

/** Resolves after `ms`. */
export function sleep(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.wakeAt(clock.now().monotonicMs + ms, resolve));
}

/** The time that work may take in one turn of the event loop. Then requests and containers go first. */
export const SLICE_MS = 10;

/**
 * Shares the event loop between requests, controllers and Pods: work of many parts calls this before each part. Parts
 * run at once while the present turn of the event loop has time left, and otherwise in later turns, in their order.
 */
export class Turns {
  #waiting: (() => void)[] = [];
  /** The parts that come before those, the next one last. To take the first of ten thousand would move all of them. */
  #ahead: (() => void)[] = [];
  readonly #now: () => number;
  /** The time at which the first part of this turn began. Undefined: none has. */
  #beganMs: number | undefined;

  /** @param now returns milliseconds */
  constructor(now: () => number = stopwatchMs) {
    this.#now = now;
  }

  /** True when the work of this turn has had its time. */
  get isSpent(): boolean {
    if (this.#beganMs !== undefined) return this.#now() - this.#beganMs >= SLICE_MS;
    this.#beganMs = this.#now();
    // Twice: of what is set while requests are read, the first one runs before further requests are read.
    nextEventLoopTurn(() => nextEventLoopTurn(() => this.#nextTurn()));
    return false;
  }

  /** Runs a part of some work. */
  run(part: () => void): void {
    if (this.#isIdle && !this.isSpent) part();
    else this.#waiting.push(part);
  }

  #nextTurn(): void {
    this.#beganMs = undefined;
    if (this.#isIdle) return;
    this.#beganMs = this.#now();
    nextEventLoopTurn(() => this.#nextTurn());
    this.#runNext();
  }

  get #isIdle(): boolean {
    return this.#waiting.length + this.#ahead.length === 0;
  }

  #runNext(): void {
    if (this.#isIdle || this.isSpent) return;
    if (this.#ahead.length === 0) [this.#ahead, this.#waiting] = [this.#waiting.reverse(), []];
    const part = this.#ahead.pop();
    if (part !== undefined) caught(part)();
    // A part may continue in promises that wait for nothing: they are over before the next part.
    queueMicrotask(caught(() => process.nextTick(caught(() => this.#runNext()))));
  }
}

/** Runs a part of much work when the event loop has time for it: see {@link Turns}. */
export function inTurn(clock: Clock, part: () => void): void {
  const { turns } = machineClock(clock);
  if (turns === undefined) part();
  else turns.run(part);
}

/** Resolves when the event loop has time for the next part of much work: see {@link Turns}. */
export function nextPart(clock: Clock): Promise<void> {
  return new Promise((resolve) => inTurn(clock, resolve));
}

/** True when the rest of some work has to wait for a later turn of the event loop: see {@link Turns}. */
export function isTurnSpent(clock: Clock): boolean {
  return machineClock(clock).turns?.isSpent ?? false;
}

// The longest timeout of setTimeout. A longer alarm is set again after this time.
const TIMER_LIMIT_MS = 2 ** 31 - 1;

/** The clocks of this machine. Wall time has microseconds and never repeats, so timestamps keep the order of events. */
export class SystemClock implements Clock {
  readonly turns: Turns = new Turns();
  /** The difference between the time of day and the stopwatch. */
  readonly #offsetMs = coarseNow() - stopwatchMs();
  #lastWallMs = 0;

  now(): Instant {
    const monotonicMs = stopwatchMs();
    const precise = this.#offsetMs + monotonicMs;
    const coarse = coarseNow();
    // The stopwatch misses clock changes and suspends: if the clocks differ by more, the coarse clock is right.
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
    // Node counts from the beginning of a turn of the event loop: a timer that is set late in a long turn rings early.
    const ring = (): void => {
      const leftMs = monotonicMs - stopwatchMs();
      if (leftMs > 0) arm(leftMs);
      else caught(run)();
    };
    arm(monotonicMs - stopwatchMs());
    return { cancel: () => clearTimeout(timer) };
  }
}

/** The clock of `performance.now()` without its module, which would slow down every start. */
function stopwatchMs(): number {
  const [seconds, nanos] = hrtime();
  return seconds * 1000 + nanos / 1e6;
}
