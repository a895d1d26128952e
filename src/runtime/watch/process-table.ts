import { readFileSync, readdirSync } from 'node:fs';
import { filesIn, readQuietly, quietly } from '../../quietly.ts';
import { type Clock, nextEventLoopTurn } from '../../clock.ts';
import { runHelper } from '../base/helper.ts';
import { factsOf, parsePsLine, PS_COLUMNS, PS_ENVIRONMENT, type ProcessFacts } from './process-identity.ts';

/**
 * The variable with the container's id in the environment of all its processes. Children inherit it, so that it finds
 * processes that have left the process group and lost their parents.
 */
export const CONTAINER_MARKER = 'PODRUN_CONTAINER_ID';

/** A process, with the container that its environment names. */
export interface ProcessEntry extends ProcessFacts {
  readonly containerId: string | undefined;
  /** True when the process may have a mark that could not be read just now. */
  readonly isUnclear: boolean;
}

// The longest time that a look at the processes blocks the event loop.
const SLICE_MS = 2;

/** The processes to look for on Linux. Elsewhere all are listed. */
export interface ListedSince {
  /** The earliest start time, in clock ticks, of processes whose marks are read. */
  readonly ticks: number;
  /** The smallest pid: a look at one process takes 30 µs, and most machines have hundreds. */
  readonly pid: number;
}

const ALWAYS: ListedSince = { ticks: 0, pid: 0 };

/** The running processes of this machine, without podrun, with the marks in readable environments. */
export function listProcesses(clock: Clock, since: ListedSince = ALWAYS): Promise<ProcessEntry[]> {
  return process.platform === 'linux' ? listByProc(clock, since) : listByPs();
}

/** The value of the mark in an environment: `NAME=value` pairs, each ended by a NUL. */
export function markIn(environ: string): string | undefined {
  const prefix = `${CONTAINER_MARKER}=`;
  const at = environ.startsWith(prefix) ? 0 : environ.indexOf(`\0${prefix}`) + 1;
  if (at === 0 && !environ.startsWith(prefix)) return undefined;
  const end = environ.indexOf('\0', at);
  return environ.slice(at + prefix.length, end < 0 ? undefined : end);
}

/** Parses the output of `ps`: facts, then the command with its environment as words. Skips other lines. */
export function parsePsTable(text: string): ProcessEntry[] {
  return text.split('\n').flatMap((line): ProcessEntry[] => {
    const facts = parsePsLine(line);
    if (facts === undefined || facts.isZombie || facts.pid === process.pid) return [];
    return [{ ...facts, containerId: new RegExp(` ${CONTAINER_MARKER}=(\\S+)`).exec(line)?.[1], isUnclear: false }];
  });
}

async function listByProc(clock: Clock, since: ListedSince): Promise<ProcessEntry[]> {
  const entries: ProcessEntry[] = [];
  let sliceStartMs = clock.now().monotonicMs;
  for (const name of namesUntilNoneIsNew()) {
    const pid = Number(name);
    if (!(pid >= since.pid) || pid === process.pid) continue;
    if (clock.now().monotonicMs - sliceStartMs >= SLICE_MS) {
      await new Promise<void>(nextEventLoopTurn);
      sliceStartMs = clock.now().monotonicMs;
    }
    const facts = factsOf(pid);
    if (facts === undefined || facts.isZombie) continue;
    const mark = Number(facts.startTime) < since.ticks ? NO_MARK : readMark(pid);
    // Kernel threads have no environment either, and never will.
    entries.push({ ...facts, ...mark, isUnclear: mark.isUnclear && facts.parentPid !== KERNEL_THREADS });
  }
  return entries;
}

/**
 * The number of listings. A process that forks and ends during one is never seen, but a further listing finds its
 * children.
 */
const LISTINGS_MAX = 5;

function* namesUntilNoneIsNew(): Generator<string> {
  const seen = new Set<string>();
  for (let listing = 0; listing < LISTINGS_MAX; listing++) {
    const added = readdirSync('/proc').filter((name) => !seen.has(name));
    if (added.length === 0) return;
    for (const name of added) {
      seen.add(name);
      yield name;
    }
  }
}

interface Mark {
  readonly containerId: string | undefined;
  readonly isUnclear: boolean;
}

const NO_MARK: Mark = { containerId: undefined, isUnclear: false };
/** kthreadd, the parent of all kernel threads. */
const KERNEL_THREADS = 2;

/**
 * Reads the mark of a process. During execve(2), a process has neither environment nor arguments for a moment: its mark
 * is unclear. A process with arguments really has no environment if the second read is empty, too.
 */
function readMark(pid: number): Mark {
  const read = (file: string): string => readFileSync(`/proc/${pid}/${file}`, 'latin1');
  const mark = quietly(() => {
    const first = read('environ');
    const isUnclear = first === '' && read('cmdline') === '';
    const environ = first === '' && !isUnclear ? read('environ') : first;
    return { containerId: markIn(environ), isUnclear };
  });
  // Another user's, or gone.
  return mark ?? NO_MARK;
}

/** Lists processes where there is no /proc: 5 to 20 ms, in a process of its own. */
export async function listByPs(): Promise<ProcessEntry[]> {
  const columns = [...PS_COLUMNS, 'command='].join(',');
  // The environment is shown by -E on macOS, by e elsewhere; ww: lines of any length.
  const flags = process.platform === 'darwin' ? '-axEww' : 'axeww';
  const outcome = await runHelper({ program: '/bin/ps', args: [flags, '-o', columns], env: PS_ENVIRONMENT });
  if (!outcome.ok) throw new Error(outcome.why);
  return parsePsTable(outcome.stdout);
}

/** The living children of a process with one thread. Linux only. */
export function childrenOf(pid: number): number[] {
  return childrenOfThread(pid, pid);
}

/** The living children of a process, whichever of its threads has started them. Linux only. */
export function childrenOfThreads(pid: number): number[] {
  return filesIn(`/proc/${pid}/task`).flatMap((thread) => childrenOfThread(pid, Number(thread)));
}

function childrenOfThread(pid: number, thread: number): number[] {
  const text = readQuietly(`/proc/${pid}/task/${thread}/children`);
  return text.split(' ').filter(Boolean).map(Number);
}
