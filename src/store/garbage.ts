import { rmdirSync } from 'node:fs';
import path from 'node:path';
import { namesIn } from './disk/atomic-file.ts';
import { ifPossible, onDisk } from './disk/disk-errors.ts';
import { FileLocks } from './disk/file-lock.ts';
import { type ProcessLookup, withCachedIds } from './disk/known-process.ts';
import { sweepLeases } from './owners/leases.ts';
import { historyFolder, objectPath } from './base/layout.ts';
import { keysIn } from './disk/listing.ts';
import { StagingArea } from './records/storage.ts';
import { StrayFiles } from './stray-files.ts';
import type { Scope } from './base/store.ts';

/** A folder of the store without an object: an earlier run of a Pod, or the volume of a claim. */
export interface UnreferencedFolder {
  readonly namespace: string;
  /** The name of the Pod or claim. */
  readonly name: string;
  /** Relative to the state folder. */
  readonly path: string;
}

/** Finds and removes the files of the store that belong to no object. */
export class StoreGarbage {
  readonly #root: string;
  readonly #staging: StagingArea;
  readonly #locks: FileLocks;
  readonly #strays: StrayFiles;
  readonly #lookup: ProcessLookup;

  constructor(root: string, processes: ProcessLookup) {
    const lookup = withCachedIds(processes);
    this.#root = root;
    this.#lookup = lookup;
    this.#staging = new StagingArea(root, lookup);
    this.#locks = new FileLocks(root, lookup);
    this.#strays = new StrayFiles(root, lookup, this.#locks);
  }

  /** The earlier runs of Pods. For each Pod, the oldest comes first. */
  earlierRuns(scope: Scope): UnreferencedFolder[] {
    return this.#onDisk(() =>
      keysIn(this.#root, 'history', scope).flatMap(({ namespace, name }) => {
        const folder = historyFolder(this.#root, namespace, name);
        return namesIn(folder).map((run) => this.#unreferenced(namespace, name, path.join(folder, run)));
      }),
    );
  }

  /** The volumes of claims, also of claims that no longer exist. */
  claimedVolumes(scope: Scope): UnreferencedFolder[] {
    return this.#onDisk(() =>
      keysIn(this.#root, 'claims', scope).map(({ namespace, name }) =>
        this.#unreferenced(namespace, name, objectPath(this.#root, 'claims', namespace, name)),
      ),
    );
  }

  /** Removes a folder with its content, and its parent folder when that is empty. It disappears in one step. */
  remove({ path: folder }: UnreferencedFolder): void {
    const place = path.join(this.#root, folder);
    this.#onDisk(() => this.#staging.discard(this.#staging.moveToStaging(place)));
    ifPossible(() => rmdirSync(path.dirname(place)));
  }

  /** Removes the staged folders, locks, strays and leases of processes that are gone. */
  sweep(): void {
    this.#onDisk(() => {
      this.#staging.sweep();
      this.#locks.sweep();
      this.#strays.sweep();
      sweepLeases(this.#root, this.#lookup);
    });
  }

  #unreferenced(namespace: string, name: string, folder: string): UnreferencedFolder {
    return { namespace, name, path: path.relative(this.#root, folder) };
  }

  #onDisk<T>(run: () => T): T {
    return onDisk(`the state folder ${this.#root}`, run);
  }
}
