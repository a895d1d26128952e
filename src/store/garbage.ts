import path from 'node:path';
import { namesIn } from './atomic-file.ts';
import { onDisk } from './disk-errors.ts';
import { FileLocks } from './file-lock.ts';
import { type ProcessLookup, rememberPlace } from './known-process.ts';
import { sweepLeases } from './leases.ts';
import { historyFolder, objectPath } from './layout.ts';
import { keysIn } from './listing.ts';
import { StagingArea } from './storage.ts';
import { StrayFiles } from './stray-files.ts';
import type { Scope } from './store.ts';

/** A folder of the store that belongs to no object: an earlier run of a Pod, or the volume of a claim. */
export interface LooseFolder {
  readonly namespace: string;
  /** Of the Pod or of the claim. */
  readonly name: string;
  /** Below the state folder. */
  readonly path: string;
}

/** What the store keeps beside its objects, and how it goes. */
export class StoreGarbage {
  readonly #root: string;
  readonly #staging: StagingArea;
  readonly #locks: FileLocks;
  readonly #strays: StrayFiles;
  readonly #lookup: ProcessLookup;

  constructor(root: string, processes: ProcessLookup) {
    const lookup = rememberPlace(processes);
    this.#root = root;
    this.#lookup = lookup;
    this.#staging = new StagingArea(root, lookup);
    this.#locks = new FileLocks(root, lookup);
    this.#strays = new StrayFiles(root, lookup, this.#locks);
  }

  /** Earlier runs of Pods: of each Pod the oldest first. */
  earlierRuns(scope: Scope): LooseFolder[] {
    return this.#onDisk(() =>
      keysIn(this.#root, 'history', scope).flatMap(({ namespace, name }) => {
        const folder = historyFolder(this.#root, namespace, name);
        return namesIn(folder).map((run) => this.#loose(namespace, name, path.join(folder, run)));
      }),
    );
  }

  /** The volumes of claims, whether the claims exist or not. */
  claimedVolumes(scope: Scope): LooseFolder[] {
    return this.#onDisk(() =>
      keysIn(this.#root, 'claims', scope).map(({ namespace, name }) =>
        this.#loose(namespace, name, objectPath(this.#root, 'claims', namespace, name)),
      ),
    );
  }

  /** Removes a folder with all that is in it: from one moment to the next it is not in its place any more. */
  remove({ path: place }: LooseFolder): void {
    this.#onDisk(() => this.#staging.discard(this.#staging.takeAway(path.join(this.#root, place))));
  }

  /** Removes what processes that are gone were making, taking away, holding or listening at. */
  sweep(): void {
    this.#onDisk(() => {
      this.#staging.sweep();
      this.#locks.sweep();
      this.#strays.sweep();
      sweepLeases(this.#root, this.#lookup);
    });
  }

  #loose(namespace: string, name: string, folder: string): LooseFolder {
    return { namespace, name, path: path.relative(this.#root, folder) };
  }

  #onDisk<T>(run: () => T): T {
    return onDisk(`the state folder ${this.#root}`, run);
  }
}
