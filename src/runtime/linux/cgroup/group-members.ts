import { promises, readdirSync } from 'node:fs';
import path from 'node:path';
import { readQuietly } from '../../../quietly.ts';
import { type Clock, nextEventLoopTurn, sleep } from '../../../clock.ts';
import { errnoOf, errnoText } from '../../base/errno.ts';
import { sendSignal } from '../../watch/kill.ts';
import { factsOf, type ProcessFacts } from '../../watch/process-identity.ts';

/** The most passes: children of a process that is not stopped yet may make more children. */
const PASSES_MAX = 20;

/** The number of checks for a stop signal, which takes effect when the process is scheduled. */
const LOOKS_MAX = 60;
const LOOKS_AT_ONCE = 20;
/** The states of a process that is not stopped yet, see proc_pid_stat(5). */
const RUNNING = /[RSDI]/;

/** The pids of the processes in a group. Empty: the group is empty or gone. */
export function pidsInGroup(folder: string): number[] {
  return readQuietly(path.join(folder, 'cgroup.procs')).split('\n').filter(Boolean).map(Number);
}

/**
 * Moves a process that was just started, the leader of a process group, into a group, with all its children. They are
 * stopped meanwhile. Returns an error in one clause; a process that has ended is no error.
 *
 * The first process that enters a group after a while waits up to 20 ms for the kernel; the event loop does not.
 */
export async function takeIn(folders: readonly string[], pid: number, clock: Clock): Promise<string | undefined> {
  // Stops the leader first: nsenter(1) stops for good when it sees its program stop.
  sendSignal(pid, 'SIGSTOP');
  await standsStill(pid, clock);
  try {
    await move(folders, pid);
    if (hasHadChildren(pid)) await moveFamily(folders, pid);
    return undefined;
  } catch (error) {
    return errnoText(errnoOf(error));
  } finally {
    sendSignal(pid, 'SIGCONT');
  }
}

async function standsStill(pid: number, clock: Clock): Promise<void> {
  for (let look = 0; look < LOOKS_MAX && RUNNING.test(stateOf(pid)); look++) {
    await (look < LOOKS_AT_ONCE ? new Promise<void>(nextEventLoopTurn) : sleep(clock, 1));
  }
}

/** Moves the processes that the leader has started before it was stopped. */
async function moveFamily(folders: readonly string[], pid: number): Promise<void> {
  // A signal to a process group reaches all of it at once, also processes that are being forked.
  const stopped = new Set([pid]);
  sendSignal(-pid, 'SIGSTOP');
  try {
    for (let pass = 0; pass < PASSES_MAX; pass++) {
      const inside = new Set(folders.flatMap(pidsInGroup));
      const outside = familyOf(pid).filter((member) => !inside.has(member.pid));
      if (outside.length === 0) return;
      for (const { groupId } of outside) {
        // The group of a child with its own session.
        if (!stopped.has(groupId)) sendSignal(-groupId, 'SIGSTOP');
        stopped.add(groupId);
      }
      for (const member of outside) await move(folders, member.pid);
    }
  } finally {
    // Continues the children first: the leader may wait for them.
    for (const member of familyOf(pid)) sendSignal(member.pid, 'SIGCONT');
  }
}

async function move(folders: readonly string[], pid: number): Promise<void> {
  const moves = folders.map((folder) => promises.writeFile(path.join(folder, 'cgroup.procs'), String(pid)));
  for (const outcome of await Promise.allSettled(moves)) {
    // ESRCH: the process has ended.
    if (outcome.status === 'rejected' && errnoOf(outcome.reason) !== 'ESRCH') throw outcome.reason;
  }
}

/** True when a process has children, or has seen one end: their page faults are added to its own. */
function hasHadChildren(pid: number): boolean {
  if (readQuietly(`/proc/${pid}/task/${pid}/children`) !== '') return true;
  const stat = readQuietly(`/proc/${pid}/stat`);
  // Field 11, see parseProcStat.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[8]) > 0;
}

/** The state letter of a process. Empty: there is no such process. */
function stateOf(pid: number): string {
  const stat = readQuietly(`/proc/${pid}/stat`);
  return stat.charAt(stat.lastIndexOf(')') + 2);
}

/** The other processes of a leader's session or group, and its descendants. */
function familyOf(leader: number): ProcessFacts[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (factsOf(Number(name)) ?? []) : []));
  const family = new Set([leader]);
  for (let before = 0; before < family.size;) {
    before = family.size;
    for (const { pid, parentPid, groupId, sessionId } of all) {
      if (family.has(parentPid) || groupId === leader || sessionId === leader) family.add(pid);
    }
  }
  return all.filter(({ pid, isZombie }) => family.has(pid) && pid !== leader && !isZombie);
}
