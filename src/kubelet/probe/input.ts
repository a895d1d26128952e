import type { Container, Probe, StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { ProbeAnswer, ProbeType } from '../../lifecycle/index.ts';
import type { ExecOutcome } from '../../runtime/index.ts';

/** The dependencies of one run of a probe. */
export interface ProbeInput {
  readonly pod: StoredPod;
  readonly container: Container;
  readonly probe: Probe;
  readonly type: ProbeType;
  /** Runs a command in the container. */
  readonly exec: (argv: [string, ...string[]], timeoutMs: number, signal: AbortSignal) => Promise<ExecOutcome>;
  readonly clock: Clock;
  /** Aborted when the outcome does not matter any more. */
  readonly abort: ProbeAbort;
}

/**
 * The abort of a probe. Node creates an AbortSignal about as slowly as a connection, and most probes need none: it is
 * created on first use.
 */
export class ProbeAbort {
  #isAborted = false;
  #onAbort: (() => void) | undefined;
  #controller: AbortController | undefined;

  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** Aborted when the outcome does not matter any more. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  /** Sets the one callback for the abort, and calls it when the probe is aborted already. Undefined: none. */
  onAbort(run: (() => void) | undefined): void {
    this.#onAbort = run;
    if (this.#isAborted) run?.();
  }

  abort(): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#controller?.abort();
    this.#onAbort?.();
  }
}

interface ExchangeLimits {
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
  readonly hasPassed: boolean;
}

/** Runs a function under a deadline, and cancels the deadline afterwards. */
export async function withDeadline<T>(limits: ExchangeLimits, run: (deadline: Deadline) => Promise<T>): Promise<T> {
  const { clock, timeoutMs, signal } = limits;
  const controller = new AbortController();
  const deadline = { signal: controller.signal, hasPassed: false };
  const onAbort = (): void => controller.abort();
  const onTimeout = (): void => {
    deadline.hasPassed = true;
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

/** The name of the error number, where the operating system gave one. */
export function errnoAnswer(error: unknown): ProbeAnswer {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code = '' } = first as { code?: string };
  return /^E(?!PROTO$)[A-Z0-9_]+$/.test(code) && !code.startsWith('ERR_') ? { errno: code } : {};
}
