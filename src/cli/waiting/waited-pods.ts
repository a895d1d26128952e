import type { StoredPod } from '../../api/objects.ts';
import type { WaitedPod } from '../../print/waits/wait-phrase.ts';
import { ProbeWatch } from '../../run/pod-evidence.ts';
import type { FileStore } from '../../store/file-store.ts';

/** Follows the probes of Pods that are waited for. */
export class WaitedPods {
  readonly #store: FileStore;
  readonly #watches = new Map<string, ProbeWatch>();

  constructor(store: FileStore) {
    this.#store = store;
  }

  /** The Pod with what its probes have come to. */
  of(pod: StoredPod): WaitedPod {
    const { uid } = pod.metadata;
    let watch = this.#watches.get(uid);
    if (watch === undefined) {
      watch = new ProbeWatch(this.#store, pod);
      this.#watches.set(uid, watch);
    }
    return { pod, attempts: watch.attempts() };
  }

  close(): void {
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
  }
}
