import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A process, told apart from a later one that got the same pid: the kernel gives pids out again, but never the same
 * pid with the same start time within one boot.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the system's own words (Linux: clock ticks since boot; macOS: a date). Compare for equality. */
  readonly startTime: string;
}

/** What one look at a process tells. */
export interface ProcessFacts extends ProcessIdentity {
  readonly parentPid: number;
  readonly groupId: number;
  readonly sessionId: number;
  /** It has ended and waits for its parent to notice: it runs nothing, and signals do nothing to it. */
  readonly zombie: boolean;
}

/**
 * The start time of the process that has that pid now; undefined when there is none, or only a zombie, which is as good
 * as none: nothing of it runs any more.
 */
export function startTimeOf(pid: number): string | undefined {
  const facts = process.platform === 'linux' ? factsFromProc(pid) : factsFromPs(pid);
  return facts === undefined || facts.zombie ? undefined : facts.startTime;
}

/** Is this still the same process, and alive? */
export function isAlive(identity: ProcessIdentity): boolean {
  return startTimeOf(identity.pid) === identity.startTime;
}

/**
 * Names this boot of the machine. Pids and start times of another boot mean nothing. Where the system does not tell
 * (neither Linux nor macOS), the same word always.
 */
export function bootId(): string {
  if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  if (process.platform !== 'darwin') return 'unknown';
  return runQuietly('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'])?.trim() ?? 'unknown';
}

/**
 * Reads a line of /proc/PID/stat. The second field is the name of the program in parentheses, which may itself hold
 * blanks, parentheses and newlines: the fields are counted from the last closing parenthesis.
 * @see proc_pid_stat(5)
 */
export function parseProcStat(text: string): ProcessFacts | undefined {
  const nameEnd = text.lastIndexOf(')');
  if (nameEnd < 0) return undefined;
  // Field 3, the state, comes first; field 22 is the start time.
  const fields = text.slice(nameEnd + 2).split(' ');
  const startTime = fields[19];
  if (startTime === undefined) return undefined;
  return {
    pid: Number.parseInt(text, 10),
    startTime,
    parentPid: Number(fields[1]),
    groupId: Number(fields[2]),
    sessionId: Number(fields[3]),
    zombie: fields[0] === 'Z' || fields[0] === 'X',
  };
}

/** The columns that `parsePsLine` reads. The session is not portable: macOS prints an address, often 0. */
export const PS_COLUMNS = 'pid=,ppid=,pgid=,stat=,lstart=';

/** Reads a line of `ps -o` with PS_COLUMNS: `  417     1   417 Ss   Fri Nov 20 21:35:17 2026`. */
export function parsePsLine(line: string): ProcessFacts | undefined {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/.exec(line);
  if (match === null) return undefined;
  const [, pid, parentPid, groupId, state = '', startTime = ''] = match;
  return {
    pid: Number(pid),
    startTime,
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    sessionId: 0,
    zombie: state.startsWith('Z'),
  };
}

function factsFromProc(pid: number): ProcessFacts | undefined {
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined; // ENOENT, or ESRCH when it ends between open and read
  }
}

function factsFromPs(pid: number): ProcessFacts | undefined {
  return parsePsLine(runQuietly('/bin/ps', ['-o', PS_COLUMNS, '-p', String(pid)]) ?? '');
}

function runQuietly(program: string, args: readonly string[]): string | undefined {
  try {
    // The C locale keeps the date of `lstart` the same whoever asks.
    const env = { LC_ALL: 'C', TZ: 'UTC' };
    return execFileSync(program, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}
