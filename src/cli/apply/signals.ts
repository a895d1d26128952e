import type { Clock } from '../../clock.ts';
import { openStreams } from '../standard-streams.ts';

/** npx and shells hand a Ctrl-C on that the terminal has sent already: what comes this soon after is the same one. */
const SAME_SIGNAL_MS = 500;

const LISTENED_FOR = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type ListenedFor = (typeof LISTENED_FOR)[number];

/** Calls back for every request to end: Ctrl-C, a kill, a vanished terminal. Until closed, none of them ends podrun. */
export function listenForSignals(clock: Clock, onSignal: (signal: ListenedFor) => void): { close(): void } {
  let lastMs = Number.NEGATIVE_INFINITY;
  const listener = (signal: ListenedFor): void => {
    const { monotonicMs } = clock.now();
    if (monotonicMs - lastMs < SAME_SIGNAL_MS) return;
    lastMs = monotonicMs;
    onSignal(signal);
  };
  listen(listener);
  return {
    close: () => {
      for (const signal of LISTENED_FOR) process.off(signal, listener);
    },
  };
}

/** Signals that have come before anybody could act on them. */
export interface HeldSignals {
  /** Ends the holding; answers the first that came, once. */
  release(): ListenedFor | undefined;
}

/** Until released, no request to end stops podrun in the middle of what it does: a lock that it holds would stay. */
export function holdSignals(): HeldSignals {
  let first: ListenedFor | undefined;
  const listener = (signal: ListenedFor): void => {
    first ??= signal;
  };
  listen(listener);
  return {
    release: () => {
      for (const signal of LISTENED_FOR) process.off(signal, listener);
      const held = first;
      first = undefined;
      return held;
    },
  };
}

/** Who answers signals must not be held up by a reader who is slow. */
function listen(listener: (signal: ListenedFor) => void): void {
  openStreams();
  for (const signal of LISTENED_FOR) process.on(signal, listener);
}
