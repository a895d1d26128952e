import { PodrunError } from '../../api/errors.ts';
import type { Alarm, Clock } from '../../clock.ts';
import type { KeptContainer } from './protocol.ts';

export interface ExitRecordOptions {
  readonly clock: Clock;
  /**
   * Puts on record how a container ended, for an agent that asks when the keeper is gone, too.
   * @throws {PodrunError} when that cannot be written
   */
  readonly recordExit: (container: KeptContainer) => void;
  /** All that could not be written is written, or not wanted any more. */
  readonly onWritten: () => void;
}

/** What could not be written is written again after this long, until it is on record. */
const RETRY_MS = 1000;

/** The ends of containers, in their order. On a full disk they wait for room. */
export class ExitRecord {
  readonly #options: ExitRecordOptions;
  #waiting: KeptContainer[] = [];
  #retry: Alarm | undefined;

  constructor(options: ExitRecordOptions) {
    this.#options = options;
  }

  /** Does an end wait that nobody knows of but this process? */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  add(container: KeptContainer): void {
    this.#waiting.push(container);
    // Those before it are tried again in their time.
    if (this.#retry === undefined) this.#write();
  }

  /** The Pod of that uid is over, or its place may be another's. */
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
