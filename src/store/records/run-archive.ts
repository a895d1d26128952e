import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import type { StoredPod } from '../../api/index.ts';
import { quietly } from '../../quietly.ts';
import { removeTree } from '../../remove-tree.ts';
import { inFolder, namesIn } from '../disk/atomic-file.ts';
import { ifPossible, ifPresent } from '../disk/disk-errors.ts';
import { historyFolder, namespaceFolder, pathsInPodFolder, type PodPaths, podPaths } from '../base/layout.ts';
import type { StorageParts } from './storage.ts';

/** The earlier runs that stay of one name. */
const RUNS_KEPT = 10;
/** The Pods of a namespace that are gone and whose runs stay. */
const GONE_KEPT = 20;

/** The history: runs of Pods that were replaced by another run of their name, and of Pods that a workload had. */
export class RunArchive {
  readonly #parts: Pick<StorageParts, 'root' | 'staging'>;

  constructor(parts: Pick<StorageParts, 'root' | 'staging'>) {
    this.#parts = parts;
  }

  /** Moves a run to the history. The answer removes what lives only as long as the Pod, and the oldest runs. */
  take({ metadata: { namespace, name, uid, creationTimestamp } }: StoredPod, paths: PodPaths): () => void {
    const history = historyFolder(this.#parts.root, namespace, name);
    const folder = path.join(history, `${creationTimestamp.replaceAll(/[^\dTZ.]/g, '')}-${uid}`);
    inFolder(history, () => renameSync(paths.folder, folder));
    return () => {
      const { volumes, layers, owner, reserve, reserveLink } = pathsInPodFolder(folder);
      // Files that cannot be removed do no harm.
      for (const part of [volumes, layers, owner, reserve, reserveLink]) quietly(() => removeTree(part));
      for (const oldest of namesIn(history).slice(0, -RUNS_KEPT)) this.#discard(path.join(history, oldest));
    };
  }

  /**
   * Moves the last run of a deleted Pod to the history. The answer also removes the runs of Pods that went earlier.
   * Undefined when the disk is full, which is no obstacle to a deletion.
   */
  takeGone(pod: StoredPod, paths: PodPaths): (() => void) | undefined {
    let clear: (() => void) | undefined;
    ifPossible(() => void (clear = this.take(pod, paths)));
    if (clear === undefined) return undefined;
    return () => {
      clear?.();
      this.#forgetGone(pod.metadata.namespace);
    };
  }

  /** Removes the runs of Pods of a namespace that are gone, but for the Pods that were created last. */
  #forgetGone(namespace: string): void {
    const { root } = this.#parts;
    const gone = namesIn(namespaceFolder(root, 'history', namespace))
      .filter((name) => !existsSync(podPaths(root, namespace, name).folder))
      .map((name) => historyFolder(root, namespace, name))
      .map((folder) => ({ folder, latest: namesIn(folder).at(-1) ?? '' }))
      .toSorted((a, b) => (a.latest < b.latest ? -1 : 1));
    for (const { folder } of gone.slice(0, -GONE_KEPT)) this.#discard(folder);
  }

  /** Another process may have discarded it just before. */
  #discard(folder: string): void {
    const { staging } = this.#parts;
    ifPresent(() => staging.discard(staging.moveToStaging(folder)));
  }
}
