import { controllerOf, hasCode, resolvedUid, type StoredPod } from '../../api/index.ts';
import { isRenewed } from '../../apiserver/index.ts';
import type { FileStore, Subscription } from '../../store/index.ts';
import type { OwnedRun } from './begin-runs.ts';
import { hasOwners } from './open-loop.ts';
import type { RunListener } from './run-input.ts';

interface OwnPodsOptions {
  readonly store: FileStore;
  readonly listener: Pick<RunListener, 'onPod' | 'onTrouble'>;
  /** Called after each change. */
  readonly onChange: () => void;
  /** True: each Pod is forgotten when it is removed. Otherwise only Pods of controllers. */
  readonly forgetsRemoved: boolean;
  /** Called with each new state of a Pod that has owners, before the listener hears of a change. */
  readonly onOwned: (pod: StoredPod) => void;
  /** Called with a Pod that is forgotten. */
  readonly onGone: (pod: StoredPod) => void;
}

/** The Pods of a run, by resolved uid: their last states, and how to give them up. */
export class OwnPods {
  readonly #options: OwnPodsOptions;
  /** As the store last reported them, a moment before the agent's own view changes: no deciding state may be missed. */
  readonly #latest = new Map<string, StoredPod>();
  readonly #releases = new Map<string, () => void>();
  readonly #subscriptions = new Map<string, Subscription>();
  #isRecordComplete = true;

  constructor(options: OwnPodsOptions) {
    this.#options = options;
  }

  get all(): readonly StoredPod[] {
    return [...this.#latest.values()];
  }

  get(uid: string): StoredPod | undefined {
    return this.#latest.get(uid);
  }

  /** False when a state, an event or output could not be written. */
  get isRecordComplete(): boolean {
    return this.#isRecordComplete;
  }

  /** Takes a Pod that comes while the run lasts. */
  take(pod: StoredPod, release: () => void): void {
    this.add({ pod, release });
    this.follow(pod);
  }

  /** Adds a Pod of the beginning. */
  add({ pod, release }: Pick<OwnedRun, 'pod' | 'release'>): void {
    this.#releases.set(resolvedUid(pod), release);
    this.#latest.set(resolvedUid(pod), pod);
  }

  /** Reports the changes of a Pod. Forgets a Pod of a controller that is gone. */
  follow(pod: StoredPod): void {
    const { store, listener, onChange, forgetsRemoved, onOwned, onGone } = this.#options;
    const { namespace, name } = pod.metadata;
    const uid = resolvedUid(pod);
    const subscription = store.watch<StoredPod>('pods', { namespace, name }, (event) => {
      if (resolvedUid(event.object) !== uid) return;
      this.#latest.set(uid, event.object);
      listener.onPod(event);
      if (event.type !== 'DELETED' && hasOwners(event.object)) onOwned(event.object);
      const isPassing = controllerOf(pod) !== undefined || forgetsRemoved;
      if (event.type === 'DELETED' && isPassing && !isRenewed(store, event.object)) {
        subscription.close();
        this.#subscriptions.delete(uid);
        this.#releases.delete(uid);
        this.#latest.delete(uid);
        onGone(event.object);
      }
      onChange();
    });
    this.#subscriptions.set(uid, subscription);
  }

  /** Records that a write has failed, for other processes that wait for these Pods. */
  markIncomplete(): void {
    this.#isRecordComplete = false;
    for (const pod of this.#latest.values()) this.#options.store.markIncomplete(pod.metadata);
  }

  /** Gives all Pods up. */
  release(): void {
    for (const release of this.#releases.values()) this.releaseWith(release);
  }

  /** Releases something. A full disk may keep its owner on record: for what has ended, that does no harm. */
  releaseWith(release: () => void): void {
    try {
      release();
    } catch (error) {
      if (!hasCode(error, 'Disk')) throw error;
      this.markIncomplete();
      this.#options.listener.onTrouble(error.message);
    }
  }

  /** Follows the Pods no more. */
  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.close();
  }
}
