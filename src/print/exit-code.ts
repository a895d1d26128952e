import type { ContainerStateTerminated } from '../api/generated/types.ts';
import { TERMINATED } from '../lifecycle/texts/terminated.ts';
import { timestampMs } from './age.ts';

/** Linux signals by number, from 1. A container that a signal ended reports 128 plus the number. */
const SIGNALS: readonly string[] = [
  'SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE',
  'SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM SIGSTKFLT',
  'SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU',
  'SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO SIGPWR SIGSYS',
].flatMap((names) => names.split(' '));

/** What a shell means by these codes. */
const SHELL_CODES: Readonly<Record<number, string>> = { 126: 'not executable', 127: 'command not found' };

/** What an exit code stands for, as far as there is a convention: `SIGKILL` for 137, `command not found` for 127. */
export function meaningOfExitCode(code: number): string | undefined {
  return SHELL_CODES[code] ?? SIGNALS[code - 129];
}

/** An exit code with what it stands for: `exit code 3`, `exit code 137 (SIGKILL)`. */
export function describeExitCode(code: number): string {
  const meaning = meaningOfExitCode(code);
  return meaning === undefined ? `exit code ${code}` : `exit code ${code} (${meaning})`;
}

/** Reasons of containers whose program never ran. */
const START_FAILURES: ReadonlySet<string | undefined> = new Set([TERMINATED.startError, 'ContainerCannotRun']);

/** How long a container ran, in milliseconds; undefined where that is not known, or less than its times can tell. */
export function runTimeMs({ reason, startedAt, finishedAt }: ContainerStateTerminated): number | undefined {
  const [startMs, endMs] = [timestampMs(startedAt), timestampMs(finishedAt)];
  if (START_FAILURES.has(reason) || !startMs || endMs === undefined || endMs <= startMs) return undefined;
  return endMs - startMs;
}

/** How a container ended, as the second half of a sentence: `exited with code 3`, `could not be started`. */
export function describeEnd({ reason, exitCode, startedAt }: ContainerStateTerminated): string {
  const code = describeExitCode(exitCode);
  if (START_FAILURES.has(reason)) return 'could not be started';
  switch (reason) {
    case TERMINATED.statusUnknown:
      return startedAt ? `was lost (${code})` : 'never ran';
    case TERMINATED.oomKilled:
      return `ran out of memory: OOMKilled, ${code}`;
    default:
      return code.replace(/^exit code/, 'exited with code');
  }
}

/** Why a container ended, where there is more to say than its exit code: the last line of its termination message. */
export function reasonOfEnd({ reason = '', message = '', startedAt }: ContainerStateTerminated): string | undefined {
  // "Could not be located" is kubelet's way to say that there never was anything.
  if (reason === TERMINATED.statusUnknown && !startedAt) return undefined;
  const words = message.trim().split('\n').at(-1)?.trim() ?? '';
  const isPlain = ['', 'Completed', 'Error', 'OOMKilled', 'StartError', 'ContainerStatusUnknown'].includes(reason);
  const parts = [...(isPlain ? [] : [reason]), ...(words === '' ? [] : [words])];
  return parts.length === 0 ? undefined : parts.join(': ');
}
