import { quietly } from '../../quietly.ts';
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
