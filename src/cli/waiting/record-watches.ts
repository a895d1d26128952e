import type { StoredPod } from '../../api/index.ts';
import type { WaitedPod } from '../../print/index.ts';
import { type FileStore, RecordWatch } from '../../store/index.ts';

/** Follows the records of the Pods that `wait` waits for. */
export class RecordWatches {
  readonly #store: FileStore;
  readonly #watches = new Map<string, RecordWatch>();

  constructor(store: FileStore) {
    this.#store = store;
  }

  /** The Pod with its present records. */
  of(pod: StoredPod): WaitedPod {
    const { uid } = pod.metadata;
    let watch = this.#watches.get(uid);
    if (watch === undefined) {
      watch = new RecordWatch(this.#store, pod);
      this.#watches.set(uid, watch);
    }
    return { pod, records: watch.records() };
  }

  close(): void {
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
  }
}
