import { readFileSync } from 'node:fs';
import type { Clock } from '../clock.ts';

/**
 * How many processes and threads have ever been made on this machine, in all of its PID namespaces; undefined where
 * the system does not tell (it is not Linux, or /proc is somebody's imitation).
 * @see proc_stat(5)
 */
export function forkCount(): number | undefined {
  return numberIn('/proc/stat', /^processes (\d+)$/m);
}

/** Where many processes are made, one look is good for all of a second. */
const LATELY_MS = 1000;

/** `forkCount` of some moment before now. */
export class RecentForks {
  readonly #clock: Clock;
  #count: number | undefined;
  #untilMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get count(): number | undefined {
    const { monotonicMs } = this.#clock.now();
    if (monotonicMs >= this.#untilMs) {
      this.#count = forkCount();
      this.#untilMs = monotonicMs + LATELY_MS;
    }
    return this.#count;
  }
}

/** Beside the tasks that run: numbers that are taken by groups and sessions without a leader. */
const TAKEN_BESIDES = 1000;

/** A process of which it is known when it was made. */
export interface Datable {
  readonly pid: number;
  /** `forkCount` at a moment before. */
  readonly forksBefore: number | undefined;
}

/**
 * The smallest pid that the processes themselves, or any that were made later than one of them, can have. The kernel
 * gives pids out in a circle and skips those that are taken, so that later ones are larger for as long as it cannot
 * have come to the end of the circle since. 0 where that is not known.
 */
export function smallestPidSince(processes: readonly Datable[]): number {
  const forks = forkCount();
  const pidMax = numberIn('/proc/sys/kernel/pid_max', /^(\d+)$/m);
  const tasks = numberIn('/proc/loadavg', /\/(\d+) /);
  if (forks === undefined || pidMax === undefined || tasks === undefined) return 0;
  const skipped = 2 * tasks + TAKEN_BESIDES;
  const isBelowLaterOnes = ({ pid, forksBefore = forks }: Datable): boolean =>
    // Where the process itself was not counted, nothing is.
    forks > forksBefore && pid + (forks - forksBefore) + skipped < pidMax;
  return processes.every(isBelowLaterOnes) ? Math.min(...processes.map(({ pid }) => pid)) : 0;
}

function numberIn(file: string, pattern: RegExp): number | undefined {
  try {
    const [, text] = pattern.exec(readFileSync(file, 'latin1')) ?? [];
    return text === undefined ? undefined : Number(text);
  } catch {
    return undefined;
  }
}
