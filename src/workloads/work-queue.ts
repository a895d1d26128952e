import { caught } from '../defects.ts';
import { type Alarm, type Clock, inTurn, isTurnSpent } from '../clock.ts';

/** The wait before a controller is called again after a failure: doubled each time. */
const BACK_OFF = { initialMs: 1000, maxMs: 300_000 };
/** The writes after which other controllers have their turn. */
const WRITES_AT_ONCE = 10;
/** The longest wait for a time that a controller asked for: the wall clock may jump meanwhile. */
const WAIT_MAX_MS = 60_000;

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Takes what is due, see `takeAll`. */
  readonly onTurn: () => void;
}

/** The workloads that controllers have to look at, now or later, by uid. Source: client-go/util/workqueue. */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #due = new Set<string>();
  readonly #later = new Map<string, Alarm>();
  readonly #failures = new Map<string, number>();
  /** True when a turn comes right after the present work of this process. */
  #isTurnNext = false;
  /** Rings for a turn after other work of the event loop. */
  #turnAlarm: Alarm | undefined;
  #isInTurn = false;
  /** The writes of controllers since the last turn of other work. */
  #writes = 0;
  #isClosed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#due.size === 0;
  }

  /** Adds a workload for the next turn. */
  add(uid: string): void {
    this.#due.add(uid);
    this.plan();
  }

  /** Adds a workload after a time, instead of the time that was set before. Undefined: not at all. */
  addAfter(uid: string, ms: number | undefined): void {
    this.#later.get(uid)?.cancel();
    this.#later.delete(uid);
    if (ms === undefined || this.#isClosed) return;
    const waitMs = Math.min(WAIT_MAX_MS, Math.max(0, ms));
    const { clock } = this.#options;
    this.#later.set(
      uid,
      clock.wakeAt(clock.now().monotonicMs + waitMs, () => this.add(uid)),
    );
  }

  /** Adds a workload after a failure: later with each failure until `succeeded`. */
  addAfterFailure(uid: string): void {
    const count = this.#failures.get(uid) ?? 0;
    this.#failures.set(uid, count + 1);
    this.addAfter(uid, Math.min(BACK_OFF.maxMs, BACK_OFF.initialMs * 2 ** Math.min(count, 20)));
  }

  succeeded(uid: string): void {
    this.#failures.delete(uid);
  }

  /** Forgets a workload that is gone. */
  forget(uid: string): void {
    this.addAfter(uid, undefined);
    this.succeeded(uid);
  }

  /** Empties the queue of what is due. */
  takeAll(): string[] {
    const due = [...this.#due];
    this.#due.clear();
    return due;
  }

  /** Puts back what a turn has left. It comes first in the next one. */
  putBack(uids: readonly string[]): void {
    const added = this.takeAll();
    for (const uid of [...uids, ...added]) this.add(uid);
  }

  /** Counts writes. With many of them, a change from outside is looked at only after a turn of other work. */
  wrote(count: number): void {
    this.#writes += count;
  }

  /** True when other work comes first. */
  get isTired(): boolean {
    return this.#writes >= WRITES_AT_ONCE || isTurnSpent(this.#options.clock);
  }

  /**
   * Plans a turn. A change from outside is looked at before the next one, as far as they do not come at one moment,
   * also while stages wait for their turn. The stages that follow leave the event loop to other work, and so does all
   * that comes after many writes: each Pod that starts is a change, after which there would be the next stage, without
   * end.
   */
  plan(): void {
    if (this.#isClosed || this.#isTurnNext) return;
    const { clock } = this.#options;
    if (this.#isInTurn || this.isTired)
      this.#turnAlarm ??= clock.wakeAt(clock.now().monotonicMs, () => {
        this.#writes = 0;
        inTurn(clock, () => this.#takeTurn());
      });
    else {
      this.#isTurnNext = true;
      queueMicrotask(caught(() => inTurn(clock, () => this.#takeTurn())));
    }
  }

  /** Cancels all turns. */
  close(): void {
    this.#isClosed = true;
    for (const alarm of this.#later.values()) alarm.cancel();
  }

  #takeTurn(): void {
    if (this.#isClosed) return;
    this.#isTurnNext = false;
    this.#turnAlarm?.cancel();
    this.#turnAlarm = undefined;
    this.#isInTurn = true;
    try {
      this.#options.onTurn();
    } finally {
      this.#isInTurn = false;
    }
  }
}
