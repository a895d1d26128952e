import { EXIT } from '../../api/index.ts';
import type { Cli } from './cli.ts';
import type { EndSignal } from './process.ts';

/**
 * The time in which a second signal counts as the same Ctrl-C: the terminal sends it, and npx or a shell forwards it
 * again.
 */
const SAME_SIGNAL_MS = 500;

const LISTENED_FOR: readonly EndSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Calls back for every Ctrl-C, SIGTERM and SIGHUP. Until closed, none of these signals ends podrun. */
export function listenForSignals(cli: Cli, onSignal: (signal: EndSignal) => void): { close(): void } {
  let lastMs = Number.NEGATIVE_INFINITY;
  const listener = (signal: EndSignal): void => {
    const { monotonicMs } = cli.clock.now();
    if (monotonicMs - lastMs < SAME_SIGNAL_MS) return;
    lastMs = monotonicMs;
    onSignal(signal);
  };
  listen(cli, listener);
  return {
    close: () => {
      for (const signal of LISTENED_FOR) cli.signals.off(signal, listener);
    },
  };
}

/** Signals that arrived before podrun could act on them. */
export interface HeldSignals {
  /** Stops holding signals back. Returns the first signal that arrived; undefined when called again. */
  release(): EndSignal | undefined;
}

/**
 * Holds signals until released: a process that ended while it holds a lock would leave the lock behind.
 * @param onFirst called when the first one arrives
 */
export function holdSignals(cli: Cli, onFirst: () => void = () => undefined): HeldSignals {
  let first: EndSignal | undefined;
  const listener = (signal: EndSignal): void => {
    if (first !== undefined) return;
    first = signal;
    onFirst();
  };
  listen(cli, listener);
  return {
    release: () => {
      for (const signal of LISTENED_FOR) cli.signals.off(signal, listener);
      const held = first;
      first = undefined;
      return held;
    },
  };
}

/** Opens the streams, so that a slow reader cannot block the answer to a signal. */
function listen(cli: Cli, listener: (signal: EndSignal) => void): void {
  cli.stdout.open();
  cli.stderr.open();
  for (const signal of LISTENED_FOR) cli.signals.on(signal, listener);
}

/**
 * Resolves at the first Ctrl-C, SIGTERM or SIGHUP. Call this function before the first output, and before there is
 * anything to take back at the end: until then, a signal ends podrun at once.
 */
export function untilSignal(cli: Cli): Promise<EndSignal> {
  return firstSignal(cli).arrived;
}

/** The same, of a command that may fail before it waits: until closed, none of these signals ends podrun. */
export function firstSignal(cli: Cli): { readonly arrived: Promise<EndSignal>; close(): void } {
  let take: (signal: EndSignal) => void = () => undefined;
  const arrived = new Promise<EndSignal>((resolve) => (take = resolve));
  return { arrived, ...listenForSignals(cli, (signal) => take(signal)) };
}

/**
 * Resolves with exit code 1, as kubectl does, on Ctrl-C or when the reader of the output is gone. Call this function
 * before the first output: a user may press Ctrl-C as soon as there is output.
 */
export async function untilStopped(cli: Cli): Promise<number> {
  await new Promise<void>((resolve) => {
    listenForSignals(cli, () => resolve());
    cli.stdout.onReaderGone(() => resolve());
  });
  return EXIT.failed;
}
