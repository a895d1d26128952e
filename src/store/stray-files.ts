import { isProcess } from './disk/stored-json.ts';
import { type Dirent, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { removeTree } from '../remove-tree.ts';
import { isTerminalPhase } from '../api/index.ts';
import { isLeftover, isTemporary, readJsonFile } from './disk/atomic-file.ts';
import { ifPresent } from './disk/disk-errors.ts';
import type { FileLocks } from './disk/file-lock.ts';
import { presenceOf, type ProcessLookup } from './disk/known-process.ts';
import { pathsInPodFolder, type PodPaths, resourceFolder } from './base/layout.ts';
import { readPod } from './disk/transition-log.ts';
import { keysIn } from './disk/listing.ts';
import type { Owner } from './owners/ownership.ts';

/** Folders with files of containers, which podrun does not search. */
const CONTENTS = new Set(['volumes', 'logs', 'layers', 'claims', 'disks', '.staging', '.locks']);

/** Files that only their process uses, and that stay when it is killed. */
export class StrayFiles {
  readonly #root: string;
  readonly #lookup: ProcessLookup;
  readonly #locks: FileLocks;

  constructor(root: string, lookup: ProcessLookup, locks: FileLocks) {
    this.#root = root;
    this.#lookup = lookup;
    this.#locks = locks;
  }

  /** Removes the files of processes that are gone. */
  sweep(): void {
    this.#sweepHalfWritten(this.#root);
    for (const { namespace, name } of keysIn(this.#root, 'pods', {})) {
      const paths = pathsInPodFolder(path.join(resourceFolder(this.#root, 'pods'), namespace, name));
      // The lock keeps other processes from taking the Pod up. Its agent may hold the lock for long.
      if (!this.#hasAgent(paths)) this.#locks.hold('pods', { namespace, name }, () => this.#sweepPod(paths));
    }
  }

  /** Removes temporary files that were being written. */
  #sweepHalfWritten(folder: string): void {
    for (const entry of entriesIn(folder)) {
      const file = path.join(folder, entry.name);
      if (isLeftover(entry.name, this.#lookup)) removeTree(file);
      else if (entry.isDirectory() && !isTemporary(entry.name) && !CONTENTS.has(entry.name)) {
        this.#sweepHalfWritten(file);
      }
    }
  }

  /** Removes the sockets and FIFOs of a Pod that has no living agent. */
  #sweepPod(paths: PodPaths): void {
    if (this.#hasAgent(paths)) return;
    for (const entry of entriesIn(paths.folder)) {
      if (entry.isSocket() || entry.isFIFO()) rmSync(path.join(paths.folder, entry.name), { force: true });
    }
  }

  #hasAgent(paths: PodPaths): boolean {
    const owner = readJsonFile<Owner>(paths.owner, isProcess);
    return owner !== undefined && (presenceOf(owner, this.#lookup) !== 'gone' || mayBeTakenOver(owner, paths));
  }
}

/** True when another process may take the place of a background agent and continue with the Pod. */
function mayBeTakenOver({ agent }: Owner, paths: PodPaths): boolean {
  return agent !== undefined && !isTerminalPhase(readPod(paths.transitions)?.status.phase);
}

function entriesIn(folder: string): Dirent[] {
  return ifPresent(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}
