import { readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../clock.ts';
import { quietly } from '../../quietly.ts';
import { removeTree } from '../../remove-tree.ts';
import { inFolder, isLeftover, makeFolder, temporaryName } from '../disk/atomic-file.ts';
import { ifPresent } from '../disk/disk-errors.ts';
import type { FileLocks } from '../disk/file-lock.ts';
import type { ProcessLookup } from '../disk/known-process.ts';
import { stagingFolder } from '../base/layout.ts';
import type { VersionSource } from '../base/resource-version.ts';
import type { RecordPlace } from '../base/record-place.ts';

/** Parts that the records of all kinds share. */
export interface StorageParts {
  readonly root: string;
  readonly clock: Clock;
  readonly locks: FileLocks;
  /** The objects of all kinds but Pods. */
  readonly records: RecordPlace;
  readonly versions: VersionSource;
  readonly staging: StagingArea;
}

/**
 * The folder in which other folders are filled before they move to their places, and emptied after they left. A move
 * is one step; filling or emptying is not.
 */
export class StagingArea {
  readonly #folder: string;
  readonly #lookup: ProcessLookup;

  constructor(root: string, lookup: ProcessLookup) {
    this.#folder = stagingFolder(root);
    this.#lookup = lookup;
  }

  newFolder(): string {
    const folder = path.join(this.#folder, temporaryName());
    makeFolder(folder);
    return folder;
  }

  /** Moves a folder out of its place in one step. Returns its new path. */
  moveToStaging(folder: string): string {
    const trash = path.join(this.#folder, temporaryName());
    inFolder(this.#folder, () => renameSync(folder, trash));
    return trash;
  }

  /** Removes a folder of the staging area, and the folders that killed processes left there. */
  discard(folder: string): void {
    removeQuietly(folder);
    this.sweep();
  }

  /** Removes the folders that killed processes left in the staging area. */
  sweep(): void {
    for (const name of ifPresent(() => readdirSync(this.#folder)) ?? []) {
      if (isLeftover(name, this.#lookup)) removeQuietly(path.join(this.#folder, name));
    }
  }
}

/** Files of a container's other users may stay: they must not stop a deletion. A later sweep tries again. */
function removeQuietly(folder: string): void {
  quietly(() => removeTree(folder));
}
