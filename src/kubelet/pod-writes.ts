import { isMirrorPod, PodrunError, type PodSpec, resolvedUid, type StoredPod } from '../api/index.ts';
import { isStored } from '../apiserver/index.ts';
import type { Alarm, Clock } from '../clock.ts';
import type { Store } from '../store/index.ts';

/** The delay before a failed write is repeated. */
const RETRY_MS = 1000;

/** The longest wait of an ended Pod for such a write. After that its record stays open: see Ownership.release. */
const PATIENCE_MS = 10_000;

export interface PodWritesOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Called when a record could not be written. */
  readonly onTrouble: (error: PodrunError) => void;
}

/**
 * The writes about one Pod, in a store that may have no room. A full disk must not end running programs: the user gets
 * a warning, and the last status is written as soon as possible. The store keeps a reserve for the end of the Pod.
 */
export class PodWrites {
  readonly #options: PodWritesOptions;
  /** Repeats a failed write. Undefined: everything is written. */
  #retry: Alarm | undefined;
  /** The last error that was reported. */
  #reportedError = '';

  constructor(options: PodWritesOptions) {
    this.#options = options;
  }

  /**
   * Runs a write. Returns undefined when it fails, and 'missing' when the store does not have the Pod.
   * @param isLast true at the end of the Pod, which may use the reserve
   */
  attempt<T>(pod: StoredPod, write: () => T, isLast: boolean): { readonly written: T } | 'missing' | undefined {
    const { store, onTrouble } = this.#options;
    try {
      const written = write();
      this.#reportedError = '';
      return { written };
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      if (!isStored(store, pod)) return 'missing';
      if (isLast && store.spendReserve(pod.metadata)) return this.attempt(pod, write, false);
      // The same error may repeat often.
      if (error.message !== this.#reportedError) onTrouble(error);
      this.#reportedError = error.message;
      return undefined;
    }
  }

  /** Repeats a write that has failed. */
  retryLater(write: () => void): void {
    this.#retry = this.#wakeAfter(RETRY_MS, write);
  }

  /** Drops a write that has failed: a later one takes its place. */
  cancelRetry(): void {
    this.#retry?.cancel();
    this.#retry = undefined;
  }

  /** Calls back when everything is written, mostly at once, or when that takes too long. */
  whenDone(done: () => void): void {
    const deadlineMs = this.#options.clock.now().monotonicMs + PATIENCE_MS;
    const look = (): void => {
      const isTooLate = this.#options.clock.now().monotonicMs >= deadlineMs;
      if (this.#retry !== undefined && !isTooLate) return void this.#wakeAfter(RETRY_MS, look);
      this.cancelRetry();
      done();
    };
    look();
  }

  #wakeAfter(ms: number, run: () => void): Alarm {
    const { clock } = this.#options;
    return clock.wakeAt(clock.now().monotonicMs + ms, run);
  }
}

/**
 * The stored object of a run. Held: only finalizers keep it. Missing: a write did not find it; its deletion is not
 * reported. Overtaken: so, when this run was about to remove it.
 */
export type ObjectState = 'present' | 'removing' | 'held' | 'missing' | 'overtaken' | 'gone';

/**
 * The Pod as the node runs it. A mirror Pod has a uid of its own, and a change of it changes no static Pod.
 * @param spec the spec of a static Pod
 */
export function asRun(stored: StoredPod, spec: PodSpec): StoredPod {
  return isMirrorPod(stored) ? { ...withUid(stored, resolvedUid(stored)), spec } : stored;
}

/** A change of this stored Pod alone, not of a later one of the same name. */
export function ofPod(uid: string, change: (stored: StoredPod) => StoredPod): (stored: StoredPod) => StoredPod {
  return (stored) => withUid(change(stored), resolvedUid(stored) === uid ? stored.metadata.uid : uid);
}

/** The Pod with another uid. */
export function withUid(pod: StoredPod, uid: string): StoredPod {
  return { ...pod, metadata: { ...pod.metadata, uid } };
}
