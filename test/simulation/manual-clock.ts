import type { Instant } from '../../src/api/time.ts';
import type { Alarm, Clock } from '../../src/clock.ts';

interface PendingAlarm extends Alarm {
  readonly atMs: number;
  readonly run: () => void;
}

// An alarm that sets itself again for the same instant would keep the test busy for ever.
const RINGS_PER_ADVANCE_MAX = 1_000_000;

/**
 * Time that moves only when a test says so. Alarms ring one by one, the earliest first, those of one instant in the
 * order in which they were set; the list is read anew after each, so an alarm may set or cancel others.
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

  /** Moves both clocks forward and rings what falls due, without letting a promise settle in between. */
  advance(ms: number): void {
    const untilMs = this.#monotonicMs + ms;
    for (let rings = 0; this.#ringNext(untilMs); rings++) assertBounded(rings);
    this.#moveTo(untilMs);
  }

  /**
   * Moves both clocks forward and rings what falls due; promises settle before the first alarm and after each, so that
   * code that waits in between sets its next alarm at the right instant. `run(0)` is how a test lets things settle.
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

  /** Runs alarm by alarm until `reached` holds or `limitMs` have passed; answers whether it holds. */
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

  /** Rings the earliest alarm that falls due until then and lets promises settle; false: there is none. */
  async step(untilMs: number): Promise<boolean> {
    const rang = this.#ringNext(untilMs);
    if (!rang) this.#moveTo(untilMs);
    await flush();
    return rang;
  }

  /** Somebody sets the machine's clock: wall time jumps, the stopwatch does not. */
  jumpWall(ms: number): void {
    this.#wallMs += ms;
  }

  /** The instant of the earliest alarm, undefined when none is set. */
  get nextAlarmMs(): number | undefined {
    return this.#earliest()?.atMs;
  }

  /** How many alarms are set: none should be left when everything has ended. */
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

/** Resolves when every promise that can settle without input, output or time has settled. */
export function flush(): Promise<void> {
  // The event loop comes to its immediates only when the queue of microtasks is empty.
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function assertBounded(rings: number): void {
  if (rings >= RINGS_PER_ADVANCE_MAX) throw new Error('an alarm keeps setting itself again: time does not move');
}
