import type { Alarm, Clock } from '../clock.ts';
import { killProcess } from './kill.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { smallestPidSince } from './pid-order.ts';
import { listProcesses, type ListedSince, type ProcessEntry } from './process-table.ts';

/** A container whose main process has ended, and of which nothing may be left. */
export interface SweepTarget {
  readonly id: string;
  /**
   * The main process, leader of its group and session; its start time is undefined where the system was not asked.
   * Undefined when its number may belong to another process by now: then the mark alone counts.
   */
  readonly leader: { readonly pid: number; readonly startTime: string | undefined } | undefined;
  /** `forkCount` before the leader was started, where it was asked for. */
  readonly forksBefore?: number | undefined;
}

// A process that forks faster than it is found would keep us busy for ever.
const PASSES_MAX = 20;
// A killed process takes a moment to vanish, a large one longer.
const PAUSE_FIRST_MS = 1;
const PAUSE_LONGEST_MS = 50;
// A look at all processes takes milliseconds: after one, there is none for so many times as long. Where many containers
// end one after the other, some of them share the next.
const REST_FACTOR = 2;

interface Sweep {
  readonly target: SweepTarget;
  readonly done: () => void;
  passes: number;
  /**
   * Processes that were about to become another program when the last of the container was found, and still are: they
   * show no mark meanwhile, on a busy machine for long. Who comes later has parents that would have been found.
   */
  unclear: ReadonlySet<string> | undefined;
  /** When the next pass is due, on the stopwatch. */
  dueMs: number;
}

/**
 * Ends the processes that a container leaves behind when its main process has ended, as the kernel does on a node by
 * taking down the PID namespace: those that left the process group too (setsid, daemons that forked twice). Who has
 * left the group and session, lost its parent and cleared its environment is not found; on a node nobody escapes.
 *
 * All containers share one look at the processes; it goes on in passes until one finds nothing, at most 20.
 */
export class Sweeper {
  readonly #clock: Clock;
  readonly #list: typeof listProcesses;
  readonly #sweeps = new Set<Sweep>();
  #alarm: Alarm | undefined;
  #passing = false;
  #restedMs = 0;

  constructor(clock: Clock, list: typeof listProcesses = listProcesses) {
    this.#clock = clock;
    this.#list = list;
  }

  /** Resolves when nothing of the container was found any more, or when it is hopeless; never rejects. */
  sweep(target: SweepTarget): Promise<void> {
    return new Promise((resolve) => {
      this.#sweeps.add({ target, done: resolve, passes: 0, unclear: undefined, dueMs: this.#clock.now().monotonicMs });
      this.#schedule();
    });
  }

  /** The next pass comes when the first is due, and never at once: whoever tells of an exit does so before. */
  #schedule(): void {
    if (this.#passing) return;
    this.#alarm?.cancel();
    if (this.#sweeps.size === 0) return;
    const dueMs = Math.max(this.#restedMs, Math.min(...[...this.#sweeps].map((sweep) => sweep.dueMs)));
    this.#alarm = this.#clock.wakeAt(dueMs, () => void this.#pass());
  }

  async #pass(): Promise<void> {
    this.#passing = true;
    const startMs = this.#clock.now().monotonicMs;
    const due = [...this.#sweeps].filter(({ dueMs }) => dueMs <= startMs);
    const targets = due.map(({ target }) => target);
    // A machine that cannot be asked now may answer in the next pass.
    const processes = await this.#list(this.#clock, sinceFirstOf(targets)).catch(() => undefined);
    const members = membersOf(targets, processes ?? []);
    const unclear = (processes ?? []).filter(({ isUnclear }) => isUnclear).map(identityText);
    for (const sweep of due) {
      const left = members.get(sweep.target) ?? [];
      for (const identity of left) killProcess(identity);
      sweep.dueMs = this.#clock.now().monotonicMs + Math.min(PAUSE_LONGEST_MS, PAUSE_FIRST_MS * 2 ** sweep.passes);
      sweep.passes++;
      const { unclear: known } = sweep;
      const isFresh = left.length > 0 || known === undefined;
      if (processes !== undefined) sweep.unclear = new Set(unclear.filter((one) => isFresh || known.has(one)));
      const mayBeLeft = left.length > 0 || processes === undefined || (sweep.unclear?.size ?? 0) > 0;
      if (mayBeLeft && sweep.passes < PASSES_MAX) continue;
      this.#sweeps.delete(sweep);
      sweep.done();
    }
    this.#passing = false;
    const endMs = this.#clock.now().monotonicMs;
    this.#restedMs = endMs + REST_FACTOR * (endMs - startMs);
    this.#schedule();
  }
}

/**
 * Which processes belong to which container: those that bear its mark, those of the group or the session of its main
 * process, and all descendants of these.
 */
export function membersOf(
  targets: readonly SweepTarget[],
  processes: readonly ProcessEntry[],
): Map<SweepTarget, ProcessIdentity[]> {
  const entries = new Map(processes.map((entry) => [entry.pid, entry]));
  const byId = new Map(targets.map((target) => [target.id, target]));
  const byLeader = new Map<number, SweepTarget>();
  for (const target of targets) {
    // A number is not given out while a group has it: whoever holds it is the leader, or the group is not ours.
    const holder = target.leader && entries.get(target.leader.pid);
    if (target.leader === undefined || (holder && holder.startTime !== target.leader.startTime)) continue;
    byLeader.set(target.leader.pid, target);
  }
  const owners = new Map<number, SweepTarget | undefined>();
  const ownerOf = (entry: ProcessEntry): SweepTarget | undefined => {
    if (owners.has(entry.pid)) return owners.get(entry.pid);
    owners.set(entry.pid, undefined); // a circle of parents ends here
    const marked = entry.containerId === undefined ? undefined : byId.get(entry.containerId);
    const grouped = byLeader.get(entry.groupId) ?? byLeader.get(entry.sessionId);
    const parent = entries.get(entry.parentPid);
    const owner = marked ?? grouped ?? (parent && ownerOf(parent));
    owners.set(entry.pid, owner);
    return owner;
  };
  const members = new Map<SweepTarget, ProcessIdentity[]>();
  for (const entry of processes) {
    const owner = ownerOf(entry);
    if (owner !== undefined) members.set(owner, [...(members.get(owner) ?? []), entry]);
  }
  return members;
}

function identityText({ pid, startTime }: ProcessEntry): string {
  return `${pid} ${startTime}`;
}

/** Nothing of a container is older than its main process. */
function sinceFirstOf(targets: readonly SweepTarget[]): ListedSince {
  const ticks = targets.map(({ leader }) => Number(leader?.startTime ?? 0));
  return {
    ticks: Math.min(...ticks.map((tick) => (Number.isNaN(tick) ? 0 : tick))),
    pid: smallestPidSince(targets.map(({ leader, forksBefore }) => ({ pid: leader?.pid ?? 0, forksBefore }))),
  };
}
