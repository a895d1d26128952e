import type { Instant } from '../api/index.ts';
import { type Alarm, type Clock, nextEventLoopTurn } from '../clock.ts';

interface PendingAlarm extends Alarm {
  readonly atMs: number;
  readonly run: () => void;
}

// The limit for an alarm that sets itself again for the same instant and would never end.
const RINGS_PER_ADVANCE_MAX = 1_000_000;

/**
 * A clock that moves only on request. Alarms ring one by one, the earliest first, and alarms of one instant in the
 * order in which they were set. The list is read anew after each alarm, so an alarm may set or cancel further alarms.
 */
export class ManualClock implements Clock {
  #monotonicMs = 0;
  #wallMs: number;
  readonly #alarms = new Set<PendingAlarm>();

  constructor(wallMs: number = Date.UTC(2026, 0, 1)) {
    this.#wallMs = wallMs;
  }

  now(): Instant {
    return { monotonicMs: this.#monotonicMs, wallMs: this.#wallMs };
  }

  wakeAt(monotonicMs: number, run: () => void): Alarm {
    const alarm: PendingAlarm = { atMs: monotonicMs, run, cancel: () => void this.#alarms.delete(alarm) };
    this.#alarms.add(alarm);
    return alarm;
  }

  /** Moves both clocks forward and rings the due alarms, without letting a promise settle in between. */
  advance(ms: number): void {
    const untilMs = this.#monotonicMs + ms;
    for (let rings = 0; this.#ringNext(untilMs); rings++) assertBounded(rings);
    this.#moveTo(untilMs);
  }

  /**
   * Moves both clocks forward and rings the due alarms. Promises settle before the first alarm and after each, so that
   * waiting code sets its next alarm at the right instant. `run(0)` only lets promises settle.
   */
  async run(ms: number = 0): Promise<void> {
    const untilMs = this.#monotonicMs + ms;
    await flush();
    for (let rings = 0; this.#ringNext(untilMs); rings++) {
      assertBounded(rings);
      await flush();
    }
    this.#moveTo(untilMs);
  }

  /** Runs alarm by alarm until `reached` holds or `limitMs` have passed. Returns whether it holds. */
  async runUntil(reached: () => boolean, limitMs: number): Promise<boolean> {
    const untilMs = this.#monotonicMs + limitMs;
    await flush();
    while (!reached()) {
      if (!this.#ringNext(untilMs)) {
        this.#moveTo(untilMs);
        break;
      }
      await flush();
    }
    return reached();
  }

  /** Rings the earliest alarm that is due until then and lets promises settle. False: there is none. */
  async step(untilMs: number): Promise<boolean> {
    const rang = this.#ringNext(untilMs);
    if (!rang) this.#moveTo(untilMs);
    await flush();
    return rang;
  }

  /** Moves both clocks forward, and rings the due alarms then, late: the event loop was held up. */
  stall(ms: number): void {
    this.#moveTo(this.#monotonicMs + ms);
    this.advance(0);
  }

  /** Sets the wall clock. The stopwatch does not change. */
  jumpWall(ms: number): void {
    this.#wallMs += ms;
  }

  /** The instant of the earliest alarm. Undefined: no alarm is set. */
  get nextAlarmMs(): number | undefined {
    return this.#earliest()?.atMs;
  }

  /** The number of alarms: none should be left when everything has ended. */
  get alarmCount(): number {
    return this.#alarms.size;
  }

  #earliest(): PendingAlarm | undefined {
    let earliest: PendingAlarm | undefined;
    for (const alarm of this.#alarms) {
      if (earliest === undefined || alarm.atMs < earliest.atMs) earliest = alarm;
    }
    return earliest;
  }

  #ringNext(untilMs: number): boolean {
    const alarm = this.#earliest();
    if (alarm === undefined || alarm.atMs > untilMs) return false;
    this.#moveTo(alarm.atMs);
    this.#alarms.delete(alarm);
    alarm.run();
    return true;
  }

  #moveTo(monotonicMs: number): void {
    const passedMs = Math.max(0, monotonicMs - this.#monotonicMs);
    this.#monotonicMs += passedMs;
    this.#wallMs += passedMs;
  }
}

/** Resolves when every promise has settled that needs neither input, output nor time. */
function flush(): Promise<void> {
  // The event loop runs immediates only when the queue of microtasks is empty.
  return new Promise((resolve) => nextEventLoopTurn(resolve));
}

function assertBounded(rings: number): void {
  if (rings >= RINGS_PER_ADVANCE_MAX) throw new Error('an alarm keeps setting itself again: time does not move');
}
