import type { Instant } from '../../src/api/index.ts';
import { type Alarm, type Clock, SystemClock } from '../../src/clock.ts';

interface PendingAlarm extends Alarm {
  readonly atMs: number;
  readonly run: () => void;
  onMachine: Alarm;
}

/** A clock of this machine on which a test can let time pass at once. Programs take the time that they take. */
export class PassingClock implements Clock {
  readonly machine: Clock = new SystemClock();
  readonly #alarms = new Set<PendingAlarm>();
  #passedMs = 0;

  now(): Instant {
    const { monotonicMs, wallMs } = this.machine.now();
    return { monotonicMs: monotonicMs + this.#passedMs, wallMs: wallMs + this.#passedMs };
  }

  wakeAt(atMs: number, run: () => void): Alarm {
    const alarm: PendingAlarm = {
      atMs,
      run: () => {
        this.#alarms.delete(alarm);
        run();
      },
      onMachine: { cancel: () => undefined },
      cancel: () => {
        this.#alarms.delete(alarm);
        alarm.onMachine.cancel();
      },
    };
    this.#alarms.add(alarm);
    this.#set(alarm);
    return alarm;
  }

  /** Moves the time forward. The alarms of that time ring next, the earliest first. */
  pass(ms: number): void {
    this.#passedMs += ms;
    for (const alarm of [...this.#alarms].toSorted((one, other) => one.atMs - other.atMs)) {
      alarm.onMachine.cancel();
      this.#set(alarm);
    }
  }

  #set(alarm: PendingAlarm): void {
    alarm.onMachine = this.machine.wakeAt(alarm.atMs - this.#passedMs, alarm.run);
  }
}
