import { isProcess, parseStored } from './stored-json.ts';
import { appendFileSync, existsSync, readFileSync, unlinkSync } from 'node:fs';
import { isTerminalPhase, type StoredPod } from '../api/objects.ts';
import { formatTime } from '../api/time.ts';
import type { Clock } from '../clock.ts';
import { readJson, writeFileAtomically } from './atomic-file.ts';
import { ifPresent } from './disk-errors.ts';
import type { FileLocks } from './file-lock.ts';
import { type KnownProcess, knownProcess, type ProcessLookup, stillExists } from './known-process.ts';
import { podPaths } from './layout.ts';
import { readStatus } from './pod-folder.ts';
import { spendReserve } from './reserve.ts';
import { notFound } from './store-errors.ts';

/** The agent that runs a Pod. */
export interface Owner extends KnownProcess {
  /** What the user called, for messages: `podrun apply -f pod.yaml`. */
  readonly command?: string | undefined;
  /** RFC 3339. */
  readonly since: string;
  /** The background agent that the process is; undefined: one in the foreground, with which its Pods end. */
  readonly agent?: string | undefined;
}

/** A process that an agent started for a container. */
export interface RecordedProcess extends KnownProcess {
  /** The ID of the container instance, which marks all of its processes. */
  readonly id: string;
  readonly containerName: string;
  /** Folders of its cgroups, which have to be removed after it; absent: it has none. */
  readonly cgroups?: readonly string[];
  /** It is of no container: it keeps the network of the Pod, which is entered like this. */
  readonly network?: RecordedNetwork;
}

/** How the private network of a Pod is entered: see NetworkJoin of the runtime. */
export interface RecordedNetwork {
  readonly nsenter: string;
  readonly holderPid: number;
  readonly isUsers: boolean;
}

export type Claim =
  | {
      readonly ok: true;
      /** Gives the Pod up: it has ended or is removed. */
      readonly release: () => void;
    }
  /** Another process, which lives, owns the Pod. */
  | { readonly ok: false; readonly owner: Owner };

/** Beginning of a new run: the Pod, owned by this process, or the process under which a Pod of that name runs. */
export type RunStart =
  | { readonly ok: true; readonly pod: StoredPod; readonly release: () => void }
  | { readonly ok: false; readonly owner: Owner };

interface OwnershipParts {
  readonly root: string;
  readonly clock: Clock;
  readonly lookup: ProcessLookup;
  readonly locks: FileLocks;
}

/** Who owns which Pod, and what the owners started: files in the Pods' folders. */
export class Ownership {
  readonly #parts: OwnershipParts;

  constructor(parts: OwnershipParts) {
    this.#parts = parts;
  }

  /** A description of this process as an owner. */
  self(command: string | undefined, agent?: string): Owner {
    const { clock, lookup } = this.#parts;
    return { ...knownProcess(process.pid, lookup), command, since: formatTime(clock.now().wallMs), agent };
  }

  isAlive(owner: KnownProcess): boolean {
    return stillExists(owner, this.#parts.lookup);
  }

  /** Who owns the Pod or owned it last, alive or not; undefined for a Pod that nobody has taken up yet. */
  ownerOf(namespace: string, name: string): Owner | undefined {
    const file = podPaths(this.#parts.root, namespace, name).owner;
    // Most Pods on record have ended: to look is far cheaper than to fail.
    return existsSync(file) ? readJson<Owner>(file, isProcess) : undefined;
  }

  /** The owner, if it is gone. */
  lostOwnerOf(namespace: string, name: string): Owner | undefined {
    const owner = this.ownerOf(namespace, name);
    return owner === undefined || this.isAlive(owner) ? undefined : owner;
  }

  /**
   * Makes this process the owner, unless one that lives is it already. Of several that try at once, one succeeds.
   * @throws {PodrunError} when the Pod is gone
   */
  claim(namespace: string, name: string, command: string | undefined, agent?: string): Claim {
    const owner = this.self(command, agent);
    const living = this.#parts.locks.hold('pods', namespace, name, () => {
      const present = this.ownerOf(namespace, name);
      if (present !== undefined && this.isAlive(present)) return present;
      const paths = podPaths(this.#parts.root, namespace, name);
      if (!existsSync(paths.object)) throw notFound('pods', name);
      writeFileAtomically(paths.owner, JSON.stringify(owner));
      return undefined;
    });
    if (living !== undefined) return { ok: false, owner: living };
    return { ok: true, release: () => this.release(namespace, name, owner) };
  }

  /**
   * Does nothing when the Pod has another owner by now, or is gone. A Pod whose end is not on record keeps its owner:
   * when that is gone, readers see that nobody knows what became of the Pod, and the next command closes its record.
   */
  release(namespace: string, name: string, owner: Owner): void {
    this.#parts.locks.hold('pods', namespace, name, () => {
      const paths = podPaths(this.#parts.root, namespace, name);
      const present = this.ownerOf(namespace, name);
      if (present?.pid !== owner.pid || present.since !== owner.since) return;
      if (!isTerminalPhase(readStatus(paths)?.phase)) return;
      ifPresent(() => unlinkSync(paths.owner));
      spendReserve(paths);
    });
  }

  /**
   * Remembers a process of a container, so that a later command can end it when this agent was killed.
   * @throws {PodrunError} when the Pod is gone
   */
  recordProcess(namespace: string, name: string, started: Omit<RecordedProcess, 'bootId'>): void {
    const paths = podPaths(this.#parts.root, namespace, name);
    if (!existsSync(paths.object)) throw notFound('pods', name);
    const line = JSON.stringify({ ...started, bootId: this.#parts.lookup.bootId() });
    appendFileSync(paths.processes, `${line}\n`, { mode: 0o600 });
  }

  /** Those recorded processes that still exist: the very same ones, never others that got their pids. */
  remainsOf(namespace: string, name: string): RecordedProcess[] {
    return this.#recorded(namespace, name).filter((recorded) => stillExists(recorded, this.#parts.lookup));
  }

  /** Cgroups that were recorded in this boot of the machine, by ID of the container; they need not exist any more. */
  cgroupsOf(namespace: string, name: string): Map<string, readonly string[]> {
    const bootId = this.#parts.lookup.bootId();
    const recorded = this.#recorded(namespace, name).filter((one) => one.bootId === bootId);
    return new Map(recorded.flatMap(({ id, cgroups }) => (cgroups === undefined ? [] : [[id, cgroups]])));
  }

  #recorded(namespace: string, name: string): RecordedProcess[] {
    const file = podPaths(this.#parts.root, namespace, name).processes;
    const lines = ifPresent(() => readFileSync(file, 'utf8'))?.split('\n') ?? [];
    return lines.flatMap(parseRecord);
  }
}

function parseRecord(line: string): RecordedProcess[] {
  // Torn by a crash, or the empty end: none.
  const recorded = parseStored<RecordedProcess>(line, isProcess);
  return recorded === undefined ? [] : [recorded];
}
