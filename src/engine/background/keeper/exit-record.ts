import { PodrunError } from '../../../api/index.ts';
import type { Alarm, Clock } from '../../../clock.ts';
import type { KeptContainer } from './protocol.ts';

export interface ExitRecordOptions {
  readonly clock: Clock;
  /**
   * Records the exit of a container, for an agent that starts after the end of the keeper.
   * @throws {PodrunError} when the record cannot be written
   */
  readonly recordExit: (container: KeptContainer) => void;
  /** Called when no exit waits to be recorded any more. */
  readonly onWritten: () => void;
}

/** The delay before a failed write is repeated. */
const RETRY_MS = 1000;

/** Records the exits of containers in their order. On a full disk they wait for room. */
export class ExitRecord {
  readonly #options: ExitRecordOptions;
  #waiting: KeptContainer[] = [];
  #retry: Alarm | undefined;

  constructor(options: ExitRecordOptions) {
    this.#options = options;
  }

  /** True when an exit is not recorded yet. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  add(container: KeptContainer): void {
    this.#waiting.push(container);
    // Earlier exits come first: the alarm writes them all.
    if (this.#retry === undefined) this.#write();
  }

  /** Drops the exits of a Pod that is over or was replaced. */
  forget(uid: string): void {
    this.#waiting = this.#waiting.filter(({ id }) => !id.startsWith(`${uid}/`));
  }

  close(): void {
    this.#retry?.cancel();
  }

  #write(): void {
    const { clock, recordExit, onWritten } = this.#options;
    this.#retry = undefined;
    try {
      for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
        recordExit(next);
        this.#waiting.shift();
      }
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      this.#retry = clock.wakeAt(clock.now().monotonicMs + RETRY_MS, () => {
        this.#write();
        if (!this.isWaiting) onWritten();
      });
    }
  }
}
