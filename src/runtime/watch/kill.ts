import { constants } from 'node:os';
import { quietly, readQuietly } from '../../quietly.ts';
import { isProcessAlive, type ProcessIdentity } from './process-identity.ts';

/**
 * Sends SIGKILL to every process of a group. A missing group is not an error, nor are members of other users. Call it
 * only for a leader that is known to be the right process, or was so a moment ago.
 */
export function killGroup(leaderPid: number): void {
  sendSignal(-leaderPid, 'SIGKILL');
}

/** Sends SIGKILL to a process, unless another process has its pid by now. */
export function killProcess(identity: ProcessIdentity): void {
  // Elsewhere the check would start `ps`, and the caller has just checked.
  if (process.platform === 'linux' && !isProcessAlive(identity)) return;
  sendSignal(identity.pid, 'SIGKILL');
}

/** Sends a signal to a process, or with a minus sign to a group, that was the right one a moment ago. */
export function sendSignal(pid: number, signal: NodeJS.Signals | number): void {
  // 0 and -1 mean the own group and all processes; 1 is the first process of the system.
  if (Math.abs(pid) <= 1) return;
  // ESRCH: it has ended. EPERM: it has changed its user, or (macOS) only zombies are left.
  quietly(() => process.kill(pid, signal));
}

/** Real-time signals as container runtimes number them: glibc reserves the first two. */
const REAL_TIME = { MIN: 34, MAX: 64 } as const;

/** The number of a signal on this machine by its name: `SIGUSR1`, `SIGRTMIN+3`. Undefined: it has no such signal. */
export function signalNumber(name: string): number | undefined {
  const [, end, offset = '0'] = /^SIGRT(MIN|MAX)([+-]\d+)?$/.exec(name) ?? [];
  if (end === 'MIN' || end === 'MAX') return process.platform === 'linux' ? REAL_TIME[end] + Number(offset) : undefined;
  // An image may name its stop signal by the number.
  if (/^\d{1,2}$/.test(name)) return Number(name);
  const numbers: Readonly<Record<string, number | undefined>> = constants.signals;
  return numbers[name === 'SIGCLD' ? 'SIGCHLD' : name];
}

/**
 * True when the process has no handler for this signal: the signal ends it here, but has no effect on the first process
 * of a PID namespace. False where the system does not say.
 * @see proc_pid_status(5), SigCgt and SigIgn
 */
export function diesUnprepared(pid: number, signal: number): boolean {
  if (process.platform !== 'linux') return false;
  const status = readQuietly(`/proc/${pid}/status`);
  return status !== '' && ['SigCgt', 'SigIgn'].every((field) => !hasSignal(status, field, signal));
}

/** True when the process ignores this signal, or has ended. */
export function ignoresSignal(pid: number, signal: number): boolean {
  const status = readQuietly(`/proc/${pid}/status`);
  return status === '' || hasSignal(status, 'SigIgn', signal);
}

function hasSignal(status: string, field: string, signal: number): boolean {
  const [, mask = '0'] = new RegExp(`^${field}:\\s*([0-9a-f]+)$`, 'm').exec(status) ?? [];
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
}
