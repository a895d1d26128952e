import { readFileSync } from 'node:fs';
import { quietly } from '../../../quietly.ts';
import { runHelper } from '../../base/helper.ts';
import { PS_ENVIRONMENT } from '../../watch/process-identity.ts';

/** The CPU time and the memory of one process. */
export interface ProcessUsage {
  /** Seconds of CPU, in user and system mode, with the ones of its children that have ended: only Linux tells these. */
  readonly cpuSeconds: number;
  /** The resident memory. Shared pages are counted in each process. */
  readonly memoryBytes: number;
}

/** The unit of times in /proc, the same on all architectures of Linux. */
const TICKS_PER_SECOND = 100;

/** Reads the usage of processes by pid. Leaves out processes that are gone. Never rejects. */
export async function usageOfProcesses(pids: readonly number[]): Promise<Map<number, ProcessUsage>> {
  const all =
    process.platform === 'linux'
      ? pids.map((pid): [number, ProcessUsage | undefined] => [pid, readProc(pid)])
      : await readPs(pids);
  return new Map(all.flatMap(([pid, usage]) => (usage === undefined ? [] : [[pid, usage]])));
}

export interface ProcessMemory {
  readonly residentBytes: number;
  /** The part that other processes may share: files and shared memory. */
  readonly sharedBytes: number;
}

/** Reads the memory of one process. Undefined: it is gone. Linux only; takes 10 µs. */
export function memoryOf(pid: number): ProcessMemory | undefined {
  return quietly(() => {
    const [, resident, shared] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ');
    return { residentBytes: Number(resident) * pageBytes(), sharedBytes: Number(shared) * pageBytes() };
  });
}

function readProc(pid: number): ProcessUsage | undefined {
  const memory = memoryOf(pid);
  if (memory === undefined) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Fields 14 to 17, see parseProcStat: of a child that has ended, its parent has the time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      cpuSeconds: fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / TICKS_PER_SECOND,
      memoryBytes: memory.residentBytes,
    };
  } catch {
    return undefined;
  }
}

let knownPageBytes: number | undefined;

/** The page size, 4 KiB on most machines, from the auxiliary vector of this process (see getauxval(3)). */
function pageBytes(): number {
  const AT_PAGESZ = 6n;
  if (knownPageBytes !== undefined) return knownPageBytes;
  const words = readFileSync('/proc/self/auxv');
  for (let at = 0; at + 16 <= words.length; at += 16) {
    if (words.readBigUInt64LE(at) === AT_PAGESZ) knownPageBytes = Number(words.readBigUInt64LE(at + 8));
  }
  return (knownPageBytes ??= 4096);
}

async function readPs(pids: readonly number[]): Promise<Array<[number, ProcessUsage | undefined]>> {
  if (pids.length === 0) return [];
  const args = ['-o', 'pid=,rss=,time=', '-p', pids.join(',')];
  const outcome = await runHelper({ program: '/bin/ps', args, env: PS_ENVIRONMENT });
  return outcome.ok ? parsePsUsage(outcome.stdout) : [];
}

/** Parses `ps -o pid=,rss=,time=`: KiB, and `[[DAYS-]HOURS:]MINUTES:SECONDS`, on macOS with hundredths. */
export function parsePsUsage(text: string): Array<[number, ProcessUsage | undefined]> {
  return text.split('\n').flatMap((line): Array<[number, ProcessUsage]> => {
    const match = /^\s*(\d+)\s+(\d+)\s+(?:(\d+)-)?([\d:.]+)\s*$/.exec(line);
    if (match === null) return [];
    const [, pid, kibibytes, days = '0', clock = '0'] = match;
    const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
    const cpuSeconds = Number(days) * 86_400 + seconds;
    return [[Number(pid), { cpuSeconds, memoryBytes: Number(kibibytes) * 1024 }]];
  });
}
