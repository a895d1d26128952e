import { formatGoDuration } from '../api/duration.ts';
import type { StoredPod } from '../api/objects.ts';
import type { Clock } from '../clock.ts';
import { causeWithEvidence, waitingLines } from '../run/explain-pods.ts';
import type { FileStore } from '../store/file-store.ts';
import { asCalls } from './as-calls.ts';
import { GoalError, TimeoutError } from './errors.ts';
import type { AskedGoal } from './goal.ts';

/** Pods that somebody waits for. */
export interface Awaited {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly pods: () => readonly StoredPod[];
  readonly isDeleted: (pod: StoredPod) => boolean;
  /** Calls back after every change. */
  readonly onChange: (look: () => void) => { close(): void };
}

export interface Patience {
  readonly timeoutMs: number;
  /** Whoever aborts one of these has had enough. */
  readonly signals: readonly AbortSignal[];
}

/**
 * Resolves when all of the Pods are there. Rejects as soon as that cannot be any more, with a `GoalError`; with a
 * `TimeoutError` when the time is up; with the reason of a signal.
 */
export async function waitUntil(awaited: Awaited, goal: AskedGoal, { timeoutMs, signals }: Patience): Promise<void> {
  for (const signal of signals) signal.throwIfAborted();
  const { clock } = awaited;
  const ends: Array<() => void> = [];
  const wait = new Promise<void>((resolve, reject) => {
    const look = (): void => {
      try {
        if (isThere(awaited, goal)) resolve();
      } catch (error) {
        reject(error);
      }
    };
    const subscription = awaited.onChange(look);
    ends.push(() => subscription.close());
    for (const signal of signals) {
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener('abort', onAbort);
      ends.push(() => signal.removeEventListener('abort', onAbort));
    }
    if (Number.isFinite(timeoutMs)) {
      const alarm = clock.wakeAt(clock.now().monotonicMs + timeoutMs, () => reject(timedOut(awaited, goal, timeoutMs)));
      ends.push(() => alarm.cancel());
    }
    look();
  });
  await wait.finally(() => ends.forEach((end) => end()));
}

/** @throws {GoalError} when one of them can never get there */
function isThere({ pods, isDeleted, store, clock }: Awaited, goal: AskedGoal): boolean {
  let areThere = true;
  for (const pod of pods()) {
    const state = goal.stateOf(pod);
    if (state !== 'met') areThere = false;
    if (state === 'impossible') {
      const why = asCalls(causeWithEvidence(store, pod, clock.now().wallMs));
      throw new GoalError(goal.text, structuredClone(pod), why);
    }
    if (state === 'pending' && isDeleted(pod)) throw new GoalError(goal.text, structuredClone(pod), 'it was deleted');
  }
  return areThere;
}

function timedOut({ pods, store, clock }: Awaited, goal: AskedGoal, timeoutMs: number): TimeoutError {
  const { wallMs } = clock.now();
  const missing = pods().filter((pod) => goal.stateOf(pod) !== 'met');
  const lines = missing.map((pod) => asCalls(waitingLines(store, pod, wallMs)));
  const message = [`timed out after ${formatGoDuration(timeoutMs)}, waiting for ${goal.text}`, ...lines].join('\n');
  return new TimeoutError(message, { goal: goal.text, timeoutMs, pods: structuredClone(missing) });
}
