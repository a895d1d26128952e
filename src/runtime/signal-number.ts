import { constants } from 'node:os';

/** Real-time signals as container runtimes number them: glibc reserves the first two. */
const REAL_TIME = { MIN: 34, MAX: 64 } as const;

/** The number of a signal on this machine by its name: `SIGUSR1`, `SIGRTMIN+3`. Undefined: it has no such signal. */
export function signalNumber(name: string): number | undefined {
  const [, end, offset = '0'] = /^SIGRT(MIN|MAX)([+-]\d+)?$/.exec(name) ?? [];
  if (end === 'MIN' || end === 'MAX') return process.platform === 'linux' ? REAL_TIME[end] + Number(offset) : undefined;
  const numbers: Readonly<Record<string, number | undefined>> = constants.signals;
  return numbers[name === 'SIGCLD' ? 'SIGCHLD' : name];
}
