import type { Clock } from '../../clock.ts';

export interface ExchangeLimits {
  readonly clock: Clock;
  /** For the whole exchange. Undefined: no limit. */
  readonly timeoutMs: number | undefined;
  /** Aborted when the outcome does not matter any more. */
  readonly signal: AbortSignal;
}

/** Ends an exchange with another program after a time limit. */
export interface Deadline {
  /** Aborted when the time is up, or when the outcome does not matter any more. */
  readonly signal: AbortSignal;
  /** True when the time is up. */
  readonly passed: boolean;
}

/** Runs a function under a deadline, and cancels the deadline afterwards. */
export async function withDeadline<T>(limits: ExchangeLimits, run: (deadline: Deadline) => Promise<T>): Promise<T> {
  const { clock, timeoutMs, signal } = limits;
  const controller = new AbortController();
  const deadline = { signal: controller.signal, passed: false };
  const onAbort = (): void => controller.abort();
  const onTimeout = (): void => {
    deadline.passed = true;
    controller.abort();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) controller.abort();
  const alarm = timeoutMs === undefined ? undefined : clock.wakeAt(clock.now().monotonicMs + timeoutMs, onTimeout);
  try {
    return await run(deadline);
  } finally {
    alarm?.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves after a while, or as soon as the signal is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      alarm.cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const alarm = clock.wakeAt(clock.now().monotonicMs + ms, done);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
