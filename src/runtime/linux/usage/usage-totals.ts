import { readQuietly } from '../../../quietly.ts';
import type { UsageTotals } from '../../../machine/index.ts';
import { groupTotals } from '../cgroup/cgroup-usage.ts';
import { childrenOf } from '../../watch/process-table.ts';

/** The most processes of a container to read: stopping it must not take long. */
const PROCESSES_MAX = 32;

/**
 * The peak memory of a process and its living descendants, each since its last execve(2). Undefined: not known. Linux
 * only; takes some 50 µs for each.
 */
export function processPeakBytes(pid: number): number | undefined {
  const open = [pid];
  let sum: number | undefined;
  for (let looked = 0; looked < PROCESSES_MAX; looked += 1) {
    const next = open.pop();
    if (next === undefined) break;
    const peak = highWaterMark(next);
    if (peak === undefined) continue;
    sum = (sum ?? 0) + peak;
    open.push(...childrenOf(next));
  }
  return sum;
}

/** The totals of a container that has just ended, while its cgroups still exist. Undefined: nothing is known. */
export function usageTotals(cgroups: readonly string[], processPeak: number | undefined): UsageTotals | undefined {
  const totals: UsageTotals = {
    ...groupTotals(cgroups),
    ...(processPeak === undefined ? {} : { processPeakBytes: processPeak }),
  };
  return Object.keys(totals).length === 0 ? undefined : totals;
}

function highWaterMark(pid: number): number | undefined {
  const status = readQuietly(`/proc/${pid}/status`);
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}
