import type { Clock } from '../../clock.ts';
import type { PullProgress } from '../../lifecycle/index.ts';

/** The state of a pull, for people who wait for it. */
export interface PullNotice {
  /** The name as written. */
  readonly image: string;
  readonly stage: 'begun' | 'under way' | 'done' | 'failed';
  /** Undefined: the registry was not reached yet. */
  readonly progress: PullProgress | undefined;
  readonly elapsedMs: number;
}

export type OnPull = (notice: PullNotice) => void;

/** Tells about pulls. */
export class PullNotices {
  readonly #onPull: OnPull | undefined;
  readonly #clock: Clock;

  constructor(onPull: OnPull | undefined, clock: Clock) {
    this.#onPull = onPull;
    this.#clock = clock;
  }

  begin(image: string): { progress: (progress: PullProgress) => void; end: (isDone: boolean) => void } {
    const startMs = this.#clock.now().monotonicMs;
    let last: PullProgress | undefined;
    const tell = (stage: PullNotice['stage']): void =>
      this.#onPull?.({ image, stage, progress: last, elapsedMs: this.#clock.now().monotonicMs - startMs });
    tell('begun');
    return {
      progress: (progress) => {
        last = progress;
        tell('under way');
      },
      end: (isDone) => tell(isDone ? 'done' : 'failed'),
    };
  }
}
