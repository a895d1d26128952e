import { inBackground } from '../../defects.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { killProcess } from './kill.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { smallestPidSince } from './pid-order.ts';
import { listProcesses, type ListedSince, type ProcessEntry } from './process-table.ts';

/** A container whose main process has ended, and whose other processes must end. */
export interface SweepTarget {
  readonly id: string;
  /**
   * The main process, leader of its group and session. Its start time is undefined where the system was not asked.
   * Undefined: another process may have its pid by now, and only the mark counts.
   */
  readonly leader: { readonly pid: number; readonly startTime: string | undefined } | undefined;
  /** `forkCount` before the start of the leader, if known. */
  readonly forksBefore?: number | undefined;
  /** The time in which its other processes may end by themselves. Default: none. */
  readonly restMs?: number | undefined;
}

// The most passes: a process that forks faster than it is found would keep podrun busy for ever.
const PASSES_MAX = 20;
// The pauses between passes: a killed process takes a moment to vanish, a large one longer.
const PAUSE_FIRST_MS = 1;
const PAUSE_LONGEST_MS = 50;
/** The pause between looks at processes that may still end by themselves. */
const PAUSE_AT_REST_MS = 20;
// The rest after a pass, as a multiple of its time: a look at all processes takes milliseconds. When many containers
// end one after the other, some of them share the next pass.
const REST_FACTOR = 2;

interface Sweep {
  readonly target: SweepTarget;
  readonly done: () => void;
  passes: number;
  /**
   * The processes that were killed, each of them left until it is gone: one without a mark is known by its parent, and
   * that may die first.
   */
  readonly killed: Set<string>;
  /**
   * Processes in the middle of execve(2) in the pass that found the last process of the container, and in all later
   * ones: their marks cannot be read, on a busy machine for long. A later process has parents that would have been
   * found.
   */
  unclear: ReadonlySet<string> | undefined;
  /** The monotonic time of the next pass. */
  dueMs: number;
  /** The monotonic time from which passes kill. */
  readonly killsFromMs: number;
}

/**
 * Ends the processes that a container leaves after its main process, as the kernel on a node ends a PID namespace: also
 * processes that have left the process group (setsid, daemons that forked twice). A process that has left the group and
 * session, lost its parent and cleared its environment is not found; on a node no process escapes.
 *
 * All containers share one look at the processes. It is repeated until it finds nothing, at most 20 times.
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

  /** Resolves when no process of the container is found any more, or after the last pass. Never rejects. */
  sweep(target: SweepTarget): Promise<void> {
    return new Promise((resolve) => {
      const dueMs = this.#clock.now().monotonicMs;
      const killsFromMs = dueMs + (target.restMs ?? 0);
      this.#sweeps.add({ target, done: resolve, passes: 0, killed: new Set(), unclear: undefined, dueMs, killsFromMs });
      this.#schedule();
    });
  }

  /** Plans the next pass for the first sweep that is due. It never runs at once: the exit is reported first. */
  #schedule(): void {
    if (this.#passing) return;
    this.#alarm?.cancel();
    if (this.#sweeps.size === 0) return;
    const dueMs = Math.max(this.#restedMs, Math.min(...[...this.#sweeps].map((sweep) => sweep.dueMs)));
    this.#alarm = this.#clock.wakeAt(dueMs, () => inBackground(this.#pass()));
  }

  async #pass(): Promise<void> {
    this.#passing = true;
    const startMs = this.#clock.now().monotonicMs;
    const due = [...this.#sweeps].filter(({ dueMs }) => dueMs <= startMs);
    const targets = due.map(({ target }) => target);
    // The list may fail now and work in the next pass.
    const processes = await this.#list(this.#clock, sinceFirstOf(targets)).catch(() => undefined);
    const members = processesByContainer(targets, processes ?? []);
    const unclear = (processes ?? []).filter(({ isUnclear }) => isUnclear).map(identityText);
    for (const sweep of due) {
      const dying = (processes ?? []).filter((entry) => sweep.killed.has(identityText(entry)));
      const left = [...new Set([...(members.get(sweep.target) ?? []), ...dying])];
      if (left.length > 0 && startMs < sweep.killsFromMs) {
        sweep.dueMs = startMs + PAUSE_AT_REST_MS;
        continue;
      }
      for (const entry of left) {
        killProcess(entry);
        sweep.killed.add(identityText(entry));
      }
      sweep.dueMs = this.#clock.now().monotonicMs + Math.min(PAUSE_LONGEST_MS, PAUSE_FIRST_MS * 2 ** sweep.passes);
      sweep.passes++;
      const { unclear: known } = sweep;
      const isFresh = left.length > 0 || known === undefined;
      if (processes !== undefined) sweep.unclear = new Set(unclear.filter((pid) => isFresh || known.has(pid)));
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
 * The processes by container: processes with its mark, in the group or the session of its main process, and all
 * descendants of these.
 */
export function processesByContainer(
  targets: readonly SweepTarget[],
  processes: readonly ProcessEntry[],
): Map<SweepTarget, ProcessIdentity[]> {
  const entries = new Map(processes.map((entry) => [entry.pid, entry]));
  const byId = new Map(targets.map((target) => [target.id, target]));
  const byLeader = new Map<number, SweepTarget>();
  for (const target of targets) {
    // The kernel does not reuse a pid while a group has it: a process with that pid is the leader, or the group belongs
    // to another one.
    const holder = target.leader && entries.get(target.leader.pid);
    if (target.leader === undefined || (holder && holder.startTime !== target.leader.startTime)) continue;
    byLeader.set(target.leader.pid, target);
  }
  const owners = new Map<number, SweepTarget | undefined>();
  const ownerOf = (entry: ProcessEntry): SweepTarget | undefined => {
    if (owners.has(entry.pid)) return owners.get(entry.pid);
    owners.set(entry.pid, undefined); // ends a circle of parents
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

function identityText({ pid, startTime }: ProcessIdentity): string {
  return `${pid} ${startTime}`;
}

/** No process of a container is older than its main process. */
function sinceFirstOf(targets: readonly SweepTarget[]): ListedSince {
  const ticks = targets.map(({ leader }) => Number(leader?.startTime ?? 0));
  return {
    ticks: Math.min(...ticks.map((tick) => (Number.isNaN(tick) ? 0 : tick))),
    pid: smallestPidSince(targets.map(({ leader, forksBefore }) => ({ pid: leader?.pid ?? 0, forksBefore }))),
  };
}
