import { isAlive, type ProcessIdentity } from './process-identity.ts';

/**
 * Sends SIGKILL to every process of a group. A group that is gone is not an error, nor are members that belong to
 * somebody else. Only for a leader known to be, or to have been a moment ago, the one that is meant.
 */
export function killGroup(leaderPid: number): void {
  sendSignal(-leaderPid, 'SIGKILL');
}

/** Sends SIGKILL to one process, unless its pid belongs to another one by now. */
export function killProcess(identity: ProcessIdentity): void {
  // Elsewhere a look at a process means to start `ps`; the caller has just done so.
  if (process.platform === 'linux' && !isAlive(identity)) return;
  sendSignal(identity.pid, 'SIGKILL');
}

/** Sends a signal; the process, or with a minus sign the group, was the one that is meant a moment ago. */
export function sendSignal(pid: number, signal: NodeJS.Signals | number): void {
  // 0 and -1 mean "my own group" and "everybody", 1 is the system's first process.
  if (Math.abs(pid) <= 1) return;
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: gone. EPERM: changed its user, or (macOS) only zombies are left.
  }
}
