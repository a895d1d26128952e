import { readQuietly } from '../../quietly.ts';
import type { Clock } from '../../clock.ts';

/**
 * The number of processes and threads that this machine has ever started, in all PID namespaces. Undefined where the
 * system does not say (not Linux, or /proc is an imitation).
 * @see proc_stat(5)
 */
function forkCount(): number | undefined {
  return numberIn('/proc/stat', /^processes (\d+)$/m);
}

/** The time for which a count is reused, where many processes are started. */
const LATELY_MS = 1000;

/** A `forkCount` of the last second. */
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

/** The allowance for pids that groups and sessions without a leader take, beside the running tasks. */
const TAKEN_BESIDES = 1000;

/** A process with a lower limit for its time of creation. */
export interface Datable {
  readonly pid: number;
  /** `forkCount` at a moment before its start. */
  readonly forksBefore: number | undefined;
}

/**
 * The smallest pid that these processes, or any that were started after one of them, can have. The kernel assigns pids
 * in ascending order, skips those in use, and begins anew at the end: later pids are larger as long as the kernel
 * cannot have reached the end since. 0 when that is not known.
 */
export function smallestPidSince(processes: readonly Datable[]): number {
  const forks = forkCount();
  const pidMax = numberIn('/proc/sys/kernel/pid_max', /^(\d+)$/m);
  const tasks = numberIn('/proc/loadavg', /\/(\d+) /);
  if (forks === undefined || pidMax === undefined || tasks === undefined) return 0;
  const skipped = 2 * tasks + TAKEN_BESIDES;
  const isBelowLaterOnes = ({ pid, forksBefore = forks }: Datable): boolean =>
    // Without a count of the process itself, the counts are not usable.
    forks > forksBefore && pid + (forks - forksBefore) + skipped < pidMax;
  return processes.every(isBelowLaterOnes) ? Math.min(...processes.map(({ pid }) => pid)) : 0;
}

function numberIn(file: string, pattern: RegExp): number | undefined {
  const [, text] = pattern.exec(readQuietly(file)) ?? [];
  return text === undefined ? undefined : Number(text);
}
