import { readFileSync } from 'node:fs';
import type { UsageTotals } from '../../api/usage-totals.ts';
import { groupTotals } from '../cgroup/cgroup-usage.ts';
import { childrenOf } from '../process-table.ts';

/** Processes of a container that are looked at; to stop it must not take long. */
const PROCESSES_MAX = 32;

/**
 * The most that a process and those it has started ever had in memory, as far as they are still there; undefined when
 * it cannot be known. Linux only; takes some 50 µs for each. Each counts since it has become the program that it is.
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

/** What is known of a container that has just ended, while its cgroups are still there; undefined: nothing. */
export function usageTotals(cgroups: readonly string[], processPeak: number | undefined): UsageTotals | undefined {
  const totals: UsageTotals = {
    ...groupTotals(cgroups),
    ...(processPeak === undefined ? {} : { processPeakBytes: processPeak }),
  };
  return Object.keys(totals).length === 0 ? undefined : totals;
}

function highWaterMark(pid: number): number | undefined {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}
