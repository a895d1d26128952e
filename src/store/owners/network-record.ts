import path from 'node:path';
import { existsSync } from 'node:fs';
import { removeTree } from '../../remove-tree.ts';
import { inFolder, namesIn, readJsonFile, writeFileAtomically } from '../disk/atomic-file.ts';
import { onDisk } from '../disk/disk-errors.ts';
import type { FileLocks } from '../disk/file-lock.ts';
import { isProcess } from '../disk/stored-json.ts';
import { agentPaths, agentsFolder, sharedClusterPaths } from '../base/layout.ts';
import { type KnownProcess, knownProcess, type ProcessLookup, stillExists } from '../disk/known-process.ts';

/**
 * The processes of the network of Pods in the background. All agents of a state folder share a cluster, with the
 * process that holds it and its way out. Each agent has a helper in it.
 */
export type NetworkPart = (typeof NETWORK_PARTS)[number];

/** See NetworkPart. */
export const NETWORK_PARTS = ['holder', 'wayOut', 'helper'] as const;

/** A process through which a cluster can be entered: it is in it, or has open files of its namespaces. */
export interface RecordedCluster {
  readonly pid: number;
  readonly files?: { readonly net: number; readonly user: number } | undefined;
  /** The id of the cluster. */
  readonly cluster?: string | undefined;
}

interface NetworkRecordParts {
  readonly root: string;
  /** ID of the agent. */
  readonly id: string;
  readonly lookup: ProcessLookup;
  readonly locks: FileLocks;
}

/**
 * The record of these processes, which outlive their agent: the next process of the agent, or another agent, takes them
 * over.
 */
export class NetworkRecord {
  readonly #parts: NetworkRecordParts;

  constructor(parts: NetworkRecordParts) {
    this.#parts = parts;
  }

  /** The state folder. */
  get root(): string {
    return this.#parts.root;
  }

  /** ID of the agent. */
  get id(): string {
    return this.#parts.id;
  }

  /** The process on record, if it still lives. */
  living(part: NetworkPart): number | undefined {
    return this.#living(this.file(part))?.pid;
  }

  /** The way into the cluster: its holder, or after the holder's death an agent that has it open. */
  entrance(): RecordedCluster | undefined {
    const { root } = this.#parts;
    const agents = onDisk(`the state folder ${root}`, () => namesIn(agentsFolder(root)));
    const files = [this.file('holder'), ...agents.map((id) => agentPaths(root, id).cluster)];
    for (const file of files) {
      const recorded = this.#living<KnownProcess & RecordedCluster>(file);
      if (recorded !== undefined) return recorded;
    }
    return undefined;
  }

  /** Records the open files of this process: they hold the cluster, too. */
  enter(files: RecordedCluster['files'], cluster: string | undefined): void {
    const { root, id, lookup } = this.#parts;
    const entrance = { ...knownProcess(process.pid, lookup), files, cluster };
    const paths = agentPaths(root, id);
    if (existsSync(paths.folder)) writeFileAtomically(paths.cluster, JSON.stringify(entrance));
  }

  #living<T extends KnownProcess = KnownProcess>(file: string): T | undefined {
    const { root, lookup } = this.#parts;
    const recorded = onDisk(`the state folder ${root}`, () => readJsonFile<T>(file, isProcess));
    return recorded !== undefined && stillExists(recorded, lookup) ? recorded : undefined;
  }

  /**
   * Records a process, unless one lives that was recorded before. Of several that try at once, one succeeds.
   * @param more the id of the cluster that a holder holds
   * @returns the process on record
   */
  claim(part: NetworkPart, pid: number, more: Pick<RecordedCluster, 'cluster'> = {}): number {
    const { root, lookup } = this.#parts;
    const file = this.file(part);
    return this.#locked(() => {
      const present = this.living(part);
      // Where the state folder is gone, nothing is made again.
      if (present !== undefined || !existsSync(root)) return present ?? pid;
      inFolder(path.dirname(file), () =>
        writeFileAtomically(file, JSON.stringify({ ...knownProcess(pid, lookup), ...more })),
      );
      return pid;
    });
  }

  /**
   * Removes an agent from the agents that share the cluster. The cluster goes with the last of them. No other agent
   * claims anything meanwhile.
   * @param isLast true when no other agent may need the cluster
   * @param end ends a process of the cluster
   */
  leave(isLast: () => boolean, end: (pid: number) => void, remove: () => void): void {
    this.#locked(() => {
      if (isLast()) {
        for (const part of SHARED) {
          const pid = this.living(part);
          if (pid !== undefined) end(pid);
        }
        removeTree(sharedClusterPaths(this.#parts.root).folder);
      }
      remove();
    });
  }

  #locked<T>(run: () => T): T {
    const { root, locks } = this.#parts;
    // A lock would make a state folder again that was removed.
    if (!existsSync(root)) return run();
    return onDisk(`the state folder ${root}`, () => locks.hold('agents', { namespace: 'all', name: 'cluster' }, run));
  }

  /** The file of the record. */
  file(part: NetworkPart): string {
    const { root, id } = this.#parts;
    return part === 'helper' ? agentPaths(root, id).helper : sharedClusterPaths(root)[part];
  }
}

const SHARED = ['wayOut', 'holder'] as const;
