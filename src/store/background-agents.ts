import { isProcess, parseStored } from './stored-json.ts';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { PodrunError } from '../api/errors.ts';
import { makeFolder, namesIn, readJson, removeTree, writeFileAtomically, writePrivateFile } from './atomic-file.ts';
import { ifPresent, onDisk } from './disk-errors.ts';
import { FileLocks } from './file-lock.ts';
import { type KnownProcess, knownProcess, presenceOf, type ProcessLookup, rememberPlace } from './known-process.ts';
import { agentLogPath, type AgentPaths, agentPaths, agentsFolder } from './layout.ts';

/** Beyond this, what agents have said goes to a second file, and what was there goes away. */
const LOG_BYTES_MAX = 1024 * 1024;

/** The process that is an agent, or is about to start one. */
export interface AgentProcess extends KnownProcess {
  /** It owns all of its Pods. */
  readonly isReady: boolean;
}

/**
 * The agents of Pods that run in the background: a folder for each, which tells how its Pods are run and which process
 * it is. It outlives that process, so that another one can go on, and goes with the last Pod.
 */
export class BackgroundAgents {
  /** The state folder. */
  readonly root: string;
  readonly #lookup: ProcessLookup;
  readonly #locks: FileLocks;

  constructor(root: string, processes: ProcessLookup) {
    this.root = root;
    this.#lookup = rememberPlace(processes);
    this.#locks = new FileLocks(root, this.#lookup);
  }

  paths(id: string): AgentPaths {
    return agentPaths(this.root, id);
  }

  /** Where all of them write what there is to say to nobody in particular; made ready to be appended to. */
  openLog(): string {
    return this.#onDisk(() => {
      const log = agentLogPath(this.root);
      makeFolder(this.root);
      const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
      if (size > LOG_BYTES_MAX) ifPresent(() => renameSync(log, `${log}.1`));
      return log;
    });
  }

  /**
   * Puts on record what an agent is to begin with, that is not there yet; answers its ID.
   * @param settings what a process needs that goes on in its place: JSON, may hold secrets
   */
  create(settings: unknown, beginning: unknown): string {
    const id = process.getBuiltinModule('node:crypto').randomUUID();
    this.#onDisk(() => {
      const paths = this.paths(id);
      makeFolder(agentsFolder(this.root));
      mkdirSync(paths.folder, { mode: 0o700 });
      // Until the agent is there, whoever starts it stands for it.
      this.#writeProcess(id, { ...knownProcess(process.pid, this.#lookup), isReady: false });
      writePrivateFile(paths.settings, JSON.stringify(settings));
      writePrivateFile(paths.beginning, JSON.stringify(beginning));
    });
    return id;
  }

  /** Undefined: there is no such agent, or not any more. */
  settings<T>(id: string): T | undefined {
    return this.#onDisk(() => readJson<T>(this.paths(id).settings));
  }

  /** What it has not begun with yet; undefined when it has. */
  beginning<T>(id: string): T | undefined {
    return this.#onDisk(() => readJson<T>(this.paths(id).beginning));
  }

  hasBegun(id: string): void {
    this.#onDisk(() => rmSync(this.paths(id).beginning, { force: true }));
  }

  /**
   * Makes this process the agent, unless one that lives is. Of several that try at once, one succeeds. Undefined: it
   * is; else who is.
   * @param heirOf the process that makes room for this one
   */
  claim(id: string, heirOf?: number): AgentProcess | undefined {
    const own = knownProcess(process.pid, this.#lookup);
    return this.#onDisk(() =>
      this.#locks.hold('agents', 'all', id, () => {
        const present = this.processOf(id);
        if (present === undefined) throw new PodrunError(`there is no background agent ${id} any more`);
        if (present.pid !== heirOf && !this.isGone(present)) return present;
        this.#writeProcess(id, { ...own, isReady: false });
        return undefined;
      }),
    );
  }

  /** This process, which is the agent, owns all of its Pods. */
  markReady(id: string): void {
    this.#onDisk(() => this.#writeProcess(id, { ...knownProcess(process.pid, this.#lookup), isReady: true }));
  }

  /** The process that is the agent, or was it last; undefined: there is no such agent, or not any more. */
  processOf(id: string): AgentProcess | undefined {
    return this.#onDisk(() => readJson<AgentProcess>(this.paths(id).process, isProcess));
  }

  /** False also for a process that is out of sight, in another PID namespace or on another machine. */
  isGone(process: AgentProcess): boolean {
    return presenceOf(process, this.#lookup) === 'gone';
  }

  /** All that are not done. */
  list(): string[] {
    return this.#onDisk(() => namesIn(agentsFolder(this.root)));
  }

  /**
   * Puts on record how a container has ended, unless the agent is done.
   * @throws {PodrunError} when that cannot be written
   */
  recordExit(id: string, exit: unknown): void {
    // A line of its own, also behind one for which there was no room but for its beginning.
    const line = `\n${JSON.stringify(exit)}\n`;
    this.#onDisk(() => ifPresent(() => appendFileSync(this.paths(id).exits, line, { mode: 0o600 })));
  }

  /** What was put on record of containers that have ended. */
  exits<T>(id: string): T[] {
    const lines = this.#onDisk(() => ifPresent(() => readFileSync(this.paths(id).exits, 'utf8')))?.split('\n') ?? [];
    // Torn by a crash or a full disk, or empty: none.
    return lines.flatMap((line) => parseStored<T>(line) ?? []);
  }

  #writeProcess(id: string, agent: AgentProcess): void {
    writeFileAtomically(this.paths(id).process, JSON.stringify(agent));
  }

  /** It has nothing to do any more. */
  remove(id: string): void {
    this.#onDisk(() => {
      const { folder } = this.paths(id);
      if (existsSync(folder)) removeTree(folder);
    });
  }

  #onDisk<T>(run: () => T): T {
    return onDisk(`the state folder ${this.root}`, run);
  }
}
