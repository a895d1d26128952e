import { isProcess, parseStored } from '../disk/stored-json.ts';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { PodrunError } from '../../api/index.ts';
import { makeFolder, namesIn, readJsonFile, writeFileAtomically, writePrivateFile } from '../disk/atomic-file.ts';
import { ifPresent, onDisk } from '../disk/disk-errors.ts';
import { quietly, statIfThere } from '../../quietly.ts';
import { removeTree } from '../../remove-tree.ts';
import { FileLocks } from '../disk/file-lock.ts';
import {
  type KnownProcess,
  knownProcess,
  presenceOf,
  type ProcessLookup,
  withCachedIds,
} from '../disk/known-process.ts';
import { NetworkRecord } from './network-record.ts';
import { agentLogPath, type AgentPaths, agentPaths, agentsFolder } from '../base/layout.ts';
import { newUid } from '../base/unique-id.ts';

/** The size at which the log of the agents is moved to `agent.log.1`, which it replaces. */
const LOG_BYTES_MAX = 1024 * 1024;

/** The process of a background agent, or the process that is about to start the agent. */
export interface AgentProcess extends KnownProcess {
  /** True once the agent owns all of its Pods. */
  readonly isReady: boolean;
}

/**
 * The agents of Pods in the background. Each has a folder with the settings of its Pods and the process of the agent.
 * The folder outlives the process, so that another one can take over. The folder goes with the last Pod.
 */
export class BackgroundAgents {
  /** The state folder. */
  readonly root: string;
  readonly #lookup: ProcessLookup;
  readonly #locks: FileLocks;

  constructor(root: string, processes: ProcessLookup) {
    this.root = root;
    this.#lookup = withCachedIds(processes);
    this.#locks = new FileLocks(root, this.#lookup);
  }

  paths(id: string): AgentPaths {
    return agentPaths(this.root, id);
  }

  /** The path of the common log of all background agents. Makes its folder, and moves a large log away. */
  openLog(): string {
    return this.#onDisk(() => {
      const log = agentLogPath(this.root);
      makeFolder(this.root);
      const size = statIfThere(log)?.size ?? 0;
      if (size > LOG_BYTES_MAX) ifPresent(() => renameSync(log, `${log}.1`));
      return log;
    });
  }

  /**
   * Records a new agent, which is not started yet, and the Pods that it shall begin with. Returns the ID of the agent.
   * @param settings the settings of the agent and of any process that takes over: JSON, may contain secrets
   */
  create(settings: unknown, beginning: unknown): string {
    const id = newUid();
    this.#onDisk(() => {
      const paths = this.paths(id);
      makeFolder(agentsFolder(this.root));
      mkdirSync(paths.folder, { mode: 0o700 });
      // This process stands for the agent until the agent has started.
      this.#writeProcess(id, { ...knownProcess(process.pid, this.#lookup), isReady: false });
      writePrivateFile(paths.settings, JSON.stringify(settings));
      writePrivateFile(paths.beginning, JSON.stringify(beginning));
    });
    return id;
  }

  /** Gives an agent other settings. */
  changeSettings(id: string, settings: unknown): void {
    this.#onDisk(() => writeFileAtomically(this.paths(id).settings, JSON.stringify(settings)));
  }

  /** Undefined for an agent that does not exist (any more). */
  settings<T>(id: string): T | undefined {
    return this.#onDisk(() => readJsonFile<T>(this.paths(id).settings));
  }

  /** The Pods that the agent has yet to begin with. Undefined once it has begun. */
  beginning<T>(id: string): T | undefined {
    return this.#onDisk(() => readJsonFile<T>(this.paths(id).beginning));
  }

  hasBegun(id: string): void {
    this.#onDisk(() => rmSync(this.paths(id).beginning, { force: true }));
  }

  /**
   * Makes this process the agent, unless another living process is. Of several that try at once, one succeeds.
   * @param predecessorPid pid of the process that this one replaces
   * @returns the process that is the agent; undefined: this one is now
   */
  claim(id: string, predecessorPid?: number): AgentProcess | undefined {
    const own = knownProcess(process.pid, this.#lookup);
    return this.#onDisk(() =>
      this.#locks.hold('agents', { namespace: 'all', name: id }, () => {
        const present = this.processOf(id);
        if (present === undefined) throw noBackgroundAgent(id);
        if (present.pid !== predecessorPid && !this.isGone(present)) return present;
        this.#writeProcess(id, { ...own, isReady: false });
        return undefined;
      }),
    );
  }

  /** Takes a claim of this process back, after it could not start the agent: another process may try at once. */
  giveBack(id: string, former: AgentProcess): void {
    this.#onDisk(() =>
      this.#locks.hold('agents', { namespace: 'all', name: id }, () => {
        if (this.processOf(id)?.pid === process.pid) this.#writeProcess(id, former);
      }),
    );
  }

  /** Records that this process, the agent, owns all of its Pods. */
  markReady(id: string): void {
    this.#onDisk(() => this.#writeProcess(id, { ...knownProcess(process.pid, this.#lookup), isReady: true }));
  }

  /** The current or last process of the agent. Undefined for an agent that does not exist (any more). */
  processOf(id: string): AgentProcess | undefined {
    return this.#onDisk(() => readJsonFile<AgentProcess>(this.paths(id).process, isProcess));
  }

  /** True for a process that certainly ended. A process of another PID namespace or machine may still run. */
  isGone(process: AgentProcess): boolean {
    return presenceOf(process, this.#lookup) === 'gone';
  }

  /** True for a process that certainly exists, and has this pid here: a signal reaches exactly this process. */
  isHere(process: AgentProcess): boolean {
    return presenceOf(process, this.#lookup) === 'exists';
  }

  /** True for a process that was killed and still exists: it may finish a write, and is gone in a moment. */
  isEnding(process: AgentProcess): boolean {
    return presenceOf(process, this.#lookup) === 'exists' && this.#lookup.isEnding?.(process.pid) === true;
  }

  /** The IDs of all agents that still have Pods. */
  list(): string[] {
    return this.#onDisk(() => namesIn(agentsFolder(this.root)));
  }

  /**
   * Records the exit of a container. Does nothing when the agent has been removed.
   * @throws {PodrunError} when the exit cannot be written
   */
  recordExit(id: string, exit: unknown): void {
    // A full disk may have cut the last line short: the newline in front begins a new one.
    const line = `\n${JSON.stringify(exit)}\n`;
    this.#onDisk(() => ifPresent(() => appendFileSync(this.paths(id).exits, line, { mode: 0o600 })));
  }

  /** The recorded exits of containers. */
  exits<T>(id: string): T[] {
    const lines = this.#onDisk(() => ifPresent(() => readFileSync(this.paths(id).exits, 'utf8')))?.split('\n') ?? [];
    // A crash or a full disk may leave half a line. Some lines are empty.
    return lines.flatMap((line) => parseStored<T>(line) ?? []);
  }

  /** The record of the network of the agent's Pods. */
  networkRecord(id: string): NetworkRecord {
    return new NetworkRecord({ root: this.root, id, lookup: this.#lookup, locks: this.#locks });
  }

  #writeProcess(id: string, agent: AgentProcess): void {
    writeFileAtomically(this.paths(id).process, JSON.stringify(agent));
  }

  /**
   * Removes the folder of an agent without Pods, and with the last one the cluster that they share.
   * @param end ends a process of the cluster
   */
  remove(id: string, end: (pid: number) => void): void {
    this.#onDisk(() => {
      const { folder } = this.paths(id);
      if (!existsSync(folder)) return;
      const isLast = (): boolean => this.list().every((other) => other === id);
      this.networkRecord(id).leave(isLast, end, () => quietly(() => removeTree(folder)));
    });
  }

  #onDisk<T>(run: () => T): T {
    return onDisk(`the state folder ${this.root}`, run);
  }
}

/** The error of a process whose folder was removed meanwhile. */
export function noBackgroundAgent(id: string): PodrunError {
  return new PodrunError('NotFound', `there is no background agent ${id} any more`);
}
