import type { ContainerStateTerminated } from '../../api/index.ts';
import { TERMINATED } from '../../lifecycle/index.ts';
import { timestampMs } from './age.ts';

/** Linux signals by number, from 1. A container that a signal ended has the exit code 128 plus the number. */
const SIGNALS: readonly string[] = [
  'SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE',
  'SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM SIGSTKFLT',
  'SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU',
  'SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO SIGPWR SIGSYS',
].flatMap((names) => names.split(' '));

/** The exit codes of a shell that could not run a command. */
const SHELL_CODES: Readonly<Record<number, string>> = { 126: 'not executable', 127: 'command not found' };

/** The conventional meaning of an exit code: `SIGKILL` for 137, `command not found` for 127. */
export function meaningOfExitCode(code: number): string | undefined {
  return SHELL_CODES[code] ?? SIGNALS[code - 129];
}

/** An exit code with its meaning: `exit code 3`, `exit code 137 (SIGKILL)`. */
export function describeExitCode(code: number): string {
  const meaning = meaningOfExitCode(code);
  return meaning === undefined ? `exit code ${code}` : `exit code ${code} (${meaning})`;
}

/** The reasons of containers whose program never ran. */
const START_FAILURES: ReadonlySet<string | undefined> = new Set([TERMINATED.startError, 'ContainerCannotRun']);

/** The duration of a run, in milliseconds. Undefined when it is unknown or shorter than its times can show. */
export function runTimeMs({ reason, startedAt, finishedAt }: ContainerStateTerminated): number | undefined {
  const [startMs, endMs] = [timestampMs(startedAt), timestampMs(finishedAt)];
  if (START_FAILURES.has(reason) || !startMs || endMs === undefined || endMs <= startMs) return undefined;
  return endMs - startMs;
}

/** The end of a container as the second half of a sentence: `exited with code 3`, `could not be started`. */
export function describeEnd({ reason, exitCode, startedAt }: ContainerStateTerminated): string {
  const code = describeExitCode(exitCode);
  if (START_FAILURES.has(reason)) return 'could not be started';
  switch (reason) {
    case TERMINATED.statusUnknown:
      return startedAt ? `was lost (${code})` : 'never ran';
    case TERMINATED.oomKilled:
      return `ran out of memory: OOMKilled, ${code}`;
    case undefined:
    default:
      return code.replace(/^exit code/, 'exited with code');
  }
}

/** The reason of an end beyond its exit code: the status reason and the last line of the termination message. */
export function reasonOfEnd({ reason = '', message = '', startedAt }: ContainerStateTerminated): string | undefined {
  // The kubelet says "could not be located" of a container that never existed.
  if (reason === TERMINATED.statusUnknown && !startedAt) return undefined;
  const words = message.trim().split('\n').at(-1)?.trim() ?? '';
  const isPlain = ['', 'Completed', 'Error', 'OOMKilled', 'StartError', 'ContainerStatusUnknown'].includes(reason);
  const parts = [...(isPlain ? [] : [reason]), ...(words === '' ? [] : [words])];
  return parts.length === 0 ? undefined : parts.join(': ');
}
