import { isLost, isTerminalPhase, type StoredPod, type WatchEvent } from '../api/objects.ts';
import type { RunRecord } from '../lifecycle/requests/verdict.ts';
import type { FileStore } from '../store/file-store.ts';
import type { Subscription } from '../store/store.ts';

/** True when somebody runs this Pod, or one of that name, or may run it out of sight. */
export function isLive(store: FileStore, { metadata: { namespace, name } }: StoredPod): boolean {
  if (!store.isOwned(namespace, name)) return false;
  const stored = store.get<StoredPod>('pods', namespace, name);
  return stored !== undefined && !isTerminalPhase(stored.status.phase);
}

/** Pods that somebody else runs, and this process waits for. */
export class LivePods {
  readonly #store: FileStore;
  readonly #pods = new Map<string, StoredPod>();
  readonly #over = new Set<string>();
  readonly #subscriptions: Subscription[];

  /** @param onChange called for every change of one of them */
  constructor(store: FileStore, pods: readonly StoredPod[], onChange: () => void) {
    this.#store = store;
    for (const pod of pods) this.#pods.set(pod.metadata.uid, pod);
    this.#subscriptions = pods.map(({ metadata: { namespace, name } }) =>
      store.watch<StoredPod>('pods', { namespace, name }, (event) => {
        this.#take(event);
        onChange();
      }),
    );
    // Changes are told from here on: what has come between the reading of these Pods and now is not among them.
    for (const pod of pods) this.#catchUp(store, pod);
  }

  /** As they are now, or were before they were removed. */
  get pods(): readonly StoredPod[] {
    return [...this.#pods.values()];
  }

  /** Have all of them ended, or are gone, or lost the podrun that ran them? */
  get isOver(): boolean {
    return this.#over.size === this.#pods.size;
  }

  /** Incomplete: somebody could not write down all that became of them. */
  get record(): RunRecord {
    return this.pods.every(({ metadata }) => this.#store.isComplete(metadata)) ? 'complete' : 'incomplete';
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription.close();
  }

  #catchUp(store: FileStore, known: StoredPod): void {
    const { namespace, name, uid } = known.metadata;
    const now = store.get<StoredPod>('pods', namespace, name);
    if (now?.metadata.uid === uid) this.#take({ type: 'MODIFIED', object: now });
    else this.#take({ type: 'DELETED', object: this.#pods.get(uid) ?? known });
  }

  #take({ type, object }: WatchEvent<StoredPod>): void {
    const { uid } = object.metadata;
    if (!this.#pods.has(uid)) return;
    this.#pods.set(uid, object);
    const { status } = object;
    if (type === 'DELETED' || isTerminalPhase(status.phase) || isLost(status)) this.#over.add(uid);
  }
}
