import { readFileSync, readdirSync } from 'node:fs';
import { type Clock, nextEventLoopTurn } from '../clock.ts';
import { runHelper } from './helper.ts';
import { factsOf, parsePsLine, PS_COLUMNS, PS_ENVIRONMENT, type ProcessFacts } from './process-identity.ts';

/**
 * The variable that every process of a container has in its environment, with the container's ID as the value. Children
 * inherit it, so that it leads to those that left the process group and lost their parents.
 */
export const CONTAINER_MARKER = 'PODRUN_CONTAINER_ID';

/** A process, and the container whose mark its environment bears. */
export interface ProcessEntry extends ProcessFacts {
  readonly containerId: string | undefined;
  /** It may bear a mark that could not be seen just now. */
  readonly isUnclear: boolean;
}

// How long a look at the processes may keep the event loop from its work, in one go.
const SLICE_MS = 2;

/** Which processes are looked for, on Linux; elsewhere all are. */
export interface ListedSince {
  /** Marks are read of those only that started no earlier, in the start times of Linux. */
  readonly ticks: number;
  /** Those with smaller pids are left out: to look at one takes 30 µs, and most machines have hundreds. */
  readonly pid: number;
}

const ALWAYS: ListedSince = { ticks: 0, pid: 0 };

/** The processes of this machine that run, but for our own; with the marks of those whose environment we may see. */
export function listProcesses(clock: Clock, since: ListedSince = ALWAYS): Promise<ProcessEntry[]> {
  return process.platform === 'linux' ? listByProc(clock, since) : listByPs();
}

/** The value of the mark in the text of an environment: `NAME=value` pairs, each with a NUL at its end. */
export function markIn(environ: string): string | undefined {
  const prefix = `${CONTAINER_MARKER}=`;
  const at = environ.startsWith(prefix) ? 0 : environ.indexOf(`\0${prefix}`) + 1;
  if (at === 0 && !environ.startsWith(prefix)) return undefined;
  const end = environ.indexOf('\0', at);
  return environ.slice(at + prefix.length, end < 0 ? undefined : end);
}

/** Reads what `ps` says: facts, then the command with its environment as words. Lines of another form are skipped. */
export function parsePsTable(text: string): ProcessEntry[] {
  return text.split('\n').flatMap((line): ProcessEntry[] => {
    const facts = parsePsLine(line);
    if (facts === undefined || facts.zombie || facts.pid === process.pid) return [];
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
      await new Promise<void>((resolve) => {
        nextEventLoopTurn(resolve);
      });
      sliceStartMs = clock.now().monotonicMs;
    }
    const facts = factsOf(pid);
    if (facts === undefined || facts.zombie) continue;
    const mark = Number(facts.startTime) < since.ticks ? NO_MARK : readMark(pid);
    // What the kernel runs for itself has no environment either, and never will.
    entries.push({ ...facts, ...mark, isUnclear: mark.isUnclear && facts.parentPid !== KERNEL_THREADS });
  }
  return entries;
}

/** Who forks and ends while the others are looked at is never seen; the children are, when it is asked again. */
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
 * A process in the middle of execve(2) has no environment for a moment, nor arguments: whether it bears a mark is not
 * clear. One with arguments has no environment for good, if it is not there the second time.
 */
function readMark(pid: number): Mark {
  const read = (file: string): string => readFileSync(`/proc/${pid}/${file}`, 'latin1');
  try {
    const first = read('environ');
    const isUnclear = first === '' && read('cmdline') === '';
    const environ = first === '' && !isUnclear ? read('environ') : first;
    return { containerId: markIn(environ), isUnclear };
  } catch {
    return NO_MARK; // somebody else's, or gone
  }
}

/** What `listProcesses` does where there is no /proc: 5 to 20 ms, in a process of its own. */
export async function listByPs(): Promise<ProcessEntry[]> {
  const columns = [...PS_COLUMNS, 'command='].join(',');
  // "Show the environment as well" is -E on macOS, e elsewhere; ww: lines of any length.
  const flags = process.platform === 'darwin' ? '-axEww' : 'axeww';
  const outcome = await runHelper({ program: '/bin/ps', args: [flags, '-o', columns], env: PS_ENVIRONMENT });
  if (!outcome.ok) throw new Error(outcome.why);
  return parsePsTable(outcome.stdout);
}

/** The processes that a process has started and that are its children still. Linux only. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
