import { promises, readdirSync } from 'node:fs';
import path from 'node:path';
import { type Clock, nextEventLoopTurn } from '../../clock.ts';
import { errnoOf, errnoText } from '../errno.ts';
import { sendSignal } from '../kill.ts';
import { factsOf, type ProcessFacts } from '../process-identity.ts';
import { readText } from './read-text.ts';

/** A process may make children while its own are being looked for; it is stopped, they are not. */
const PASSES_MAX = 20;

/** A stop signal takes effect when the process has its turn. */
const LOOKS_MAX = 60;
const LOOKS_AT_ONCE = 20;
/** States of a process that is not there yet, see proc_pid_stat(5). */
const RUNNING = /[RSDI]/;

/** The pids of the processes that are in a group. None: it is empty, or gone. */
export function membersOf(folder: string): number[] {
  return readText(path.join(folder, 'cgroup.procs')).split('\n').filter(Boolean).map(Number);
}

/**
 * Takes in a process that has just been started, which leads a process group, with all that it has started: they
 * stand still meanwhile. Answers why that failed, in one clause; a process that has ended is no failure.
 *
 * The first process that comes into a group after a while has to wait up to 20 ms for the kernel; the event loop does
 * not.
 */
export async function takeIn(folders: readonly string[], pid: number, clock: Clock): Promise<string | undefined> {
  // First the one, until it stands: nsenter(1) stops for good when it sees its program stop.
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

/**
 * Takes in a process that does nothing until it is told to: it need not be stopped. Answers why that failed, in one
 * clause.
 */
export async function takeInWaiting(folders: readonly string[], pid: number): Promise<string | undefined> {
  try {
    await move(folders, pid);
    return undefined;
  } catch (error) {
    return errnoText(errnoOf(error));
  }
}

async function standsStill(pid: number, clock: Clock): Promise<void> {
  for (let look = 0; look < LOOKS_MAX && RUNNING.test(stateOf(pid)); look++) {
    await new Promise<void>((resolve) => {
      if (look < LOOKS_AT_ONCE) nextEventLoopTurn(resolve);
      else clock.wakeAt(clock.now().monotonicMs + 1, resolve);
    });
  }
}

/** Takes in what a process has started before it was stopped. */
async function moveFamily(folders: readonly string[], pid: number): Promise<void> {
  // A signal to a process group reaches all of it at once, also what is being forked: nobody gets away.
  const stopped = new Set([pid]);
  sendSignal(-pid, 'SIGSTOP');
  try {
    for (let pass = 0; pass < PASSES_MAX; pass++) {
      const inside = new Set(folders.flatMap(membersOf));
      const outside = familyOf(pid).filter((member) => !inside.has(member.pid));
      if (outside.length === 0) return;
      for (const { groupId } of outside) {
        // One that has a session of its own by now.
        if (!stopped.has(groupId)) sendSignal(-groupId, 'SIGSTOP');
        stopped.add(groupId);
      }
      for (const member of outside) await move(folders, member.pid);
    }
  } finally {
    // Before the one that may be waiting for them.
    for (const member of familyOf(pid)) sendSignal(member.pid, 'SIGCONT');
  }
}

async function move(folders: readonly string[], pid: number): Promise<void> {
  const moves = folders.map((folder) => promises.writeFile(path.join(folder, 'cgroup.procs'), String(pid)));
  for (const outcome of await Promise.allSettled(moves)) {
    // ESRCH: it has ended.
    if (outcome.status === 'rejected' && errnoOf(outcome.reason) !== 'ESRCH') throw outcome.reason;
  }
}

/** Does a process have children, or has it seen one end? Their page faults are counted as its own. */
function hasHadChildren(pid: number): boolean {
  if (readText(`/proc/${pid}/task/${pid}/children`) !== '') return true;
  const stat = readText(`/proc/${pid}/stat`);
  // Field 11, see parseProcStat.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[8]) > 0;
}

/** Its letter; empty when there is no such process. */
function stateOf(pid: number): string {
  const stat = readText(`/proc/${pid}/stat`);
  return stat.charAt(stat.lastIndexOf(')') + 2);
}

/** Processes of the session of a process, or of its group, and its descendants; without itself. */
function familyOf(leader: number): ProcessFacts[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (factsOf(Number(name)) ?? []) : []));
  const family = new Set([leader]);
  for (let before = 0; before < family.size;) {
    before = family.size;
    for (const { pid, parentPid, groupId, sessionId } of all) {
      if (family.has(parentPid) || groupId === leader || sessionId === leader) family.add(pid);
    }
  }
  return all.filter(({ pid, zombie }) => family.has(pid) && pid !== leader && !zombie);
}
