import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { UsageTotals } from '../../../machine/index.ts';
import { quietly, readQuietly } from '../../../quietly.ts';
import { childrenOf } from '../../watch/process-table.ts';

/** The CPU time of a group so far, with its ended processes, and its current memory. */
interface GroupUsage {
  readonly cpuSeconds: number;
  /** Without inactive file pages: the working set of a kubelet. */
  readonly memoryBytes: number;
}

/**
 * Reads the kernel's counters of a group. Undefined: the kernel does not count both, or the group is gone.
 * Source: google/cadvisor, container/libcontainer/handler.go (setMemoryStats).
 * @param folders the group, one folder for each hierarchy
 */
export function groupUsage(folders: readonly string[]): GroupUsage | undefined {
  const read = (file: string): string | undefined => readFirst(folders, file);
  const cpuSeconds = inUnit(read('cpuacct.usage'), 1e9) ?? inUnit(valueIn(read('cpu.stat'), 'usage_usec'), 1e6);
  const stat = read('memory.stat');
  const current = read('memory.usage_in_bytes') ?? read('memory.current');
  if (cpuSeconds === undefined || current === undefined) return undefined;
  const idle = valueIn(stat, 'total_inactive_file') ?? valueIn(stat, 'inactive_file') ?? '0';
  return { cpuSeconds, memoryBytes: Math.max(0, Number(current) - Number(idle)) };
}

/** The kernel's counters of a group since its creation, as far as they exist. */
function groupTotals(folders: readonly string[]): UsageTotals {
  if (folders.length === 0) return {};
  const read = (file: string): string | undefined => readFirst(folders, file);
  const cpu = read('cpu.stat');
  const known: Record<keyof UsageTotals, number | undefined> = {
    groupPeakBytes: inUnit(read('memory.peak') ?? read('memory.max_usage_in_bytes'), 1),
    processPeakBytes: undefined,
    cpuSeconds: inUnit(read('cpuacct.usage'), 1e9) ?? inUnit(valueIn(cpu, 'usage_usec'), 1e6),
    cpuPeriods: inUnit(valueIn(cpu, 'nr_periods'), 1),
    cpuPeriodsThrottled: inUnit(valueIn(cpu, 'nr_throttled'), 1),
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

/** The file of the first hierarchy that has it. */
function readFirst(folders: readonly string[], file: string): string | undefined {
  for (const folder of folders) {
    const text = quietly(() => readFileSync(path.join(folder, file), 'utf8'));
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Converts a count into its unit. */
function inUnit(count: string | undefined, perUnit: number): number | undefined {
  return count === undefined ? undefined : Number(count) / perUnit;
}

/** The value in a line `NAME VALUE`. */
function valueIn(text: string | undefined, name: string): string | undefined {
  return new RegExp(`^${name} (\\d+)$`, 'm').exec(text ?? '')?.[1];
}

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
