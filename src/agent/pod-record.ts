import { PodrunError } from '../api/errors.ts';
import { hasFinalizers } from '../api/finalizers.ts';
import { isTerminalPhase, type StoredEvent, type StoredPod, type WatchEvent } from '../api/objects.ts';
import type { Alarm, Clock } from '../clock.ts';
import type { EventDraft } from '../lifecycle/effects.ts';
import { withScheduled } from '../lifecycle/node/pod-scheduled.ts';
import { withoutGrace } from '../lifecycle/requests/deletion.ts';
import { mergeStatus } from '../lifecycle/status/merge-status.ts';
import type { SchedulingEvent } from '../lifecycle/texts/events.ts';
import type { ObjectPart, Store } from '../store/store.ts';
import { isStored } from './clean-up/is-stored.ts';
import { EventRecorder } from './event-recorder.ts';

/** The store of a Pod, and the callbacks for errors and events. */
export interface PodRecordOptions {
  readonly pod: StoredPod;
  readonly store: Store;
  readonly clock: Clock;
  readonly nodeName: string;
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
  /** Called when a record could not be written. */
  readonly onTrouble: (error: PodrunError) => void;
  /** Called after a write has found the object gone. By then the store's watch has had time to report a deletion. */
  readonly onGone: () => void;
}

/** The time in which the store's watch reports whether a missing record was deleted by force. */
const WATCH_MS = 1000;

/** The delay before a failed write of the status is repeated. */
const RETRY_MS = 1000;

/** The longest wait of an ended Pod for such a write. After that its record stays open: see Ownership.release. */
const PATIENCE_MS = 10_000;

/**
 * The stored part of one Pod: its object and its events. A store without room (a full disk, say) must not end running
 * programs: the user gets a warning, and the status is written as soon as possible. The store keeps a reserve for the
 * end of the Pod. A Pod that is missing in the store was removed by force.
 */
export class PodRecord {
  readonly #options: PodRecordOptions;
  readonly #recorder: EventRecorder;
  #isGone = false;
  #isBinding = false;
  #isSavingStatus = false;
  /** Repeats a failed write. Undefined: the status is up to date. */
  #retry: Alarm | undefined;
  /** The last error that was reported. */
  #reportedError = '';

  constructor(options: PodRecordOptions) {
    this.#options = options;
    this.#recorder = new EventRecorder(options);
  }

  /** True when the object is gone. Further writes are dropped. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** True while the Pod is being bound. Changes that the store reports meanwhile are in the answer of `bind`. */
  get isBinding(): boolean {
    return this.#isBinding;
  }

  /**
   * True while the status is being written. Changes that the store reports meanwhile are in the answer of `saveStatus`.
   */
  get isSavingStatus(): boolean {
    return this.#isSavingStatus;
  }

  /** Records that another process removed the object. */
  gone(): void {
    this.#isGone = true;
    this.#recorder.stopStoring();
  }

  /** Binds the Pod to the node. Returns the stored Pod, with the changes that others made meanwhile. */
  bind(pod: StoredPod, nodeName: string): StoredPod {
    const { store, clock } = this.#options;
    const { uid } = pod.metadata;
    const bound = (stored: StoredPod): StoredPod => {
      const placed = { ...stored, metadata: { ...stored.metadata, uid }, spec: { ...stored.spec, nodeName } };
      return withScheduled(placed, { status: 'True' }, clock.now());
    };
    this.#isBinding = true;
    try {
      return this.#write(() => store.bind(pod.metadata, bound), bound(pod));
    } finally {
      this.#isBinding = false;
    }
  }

  /** Writes the status of the Pod, and keeps the parts that other writers own. Returns the stored Pod. */
  saveStatus(pod: StoredPod): StoredPod {
    this.#retry?.cancel();
    this.#retry = undefined;
    this.#isSavingStatus = true;
    try {
      const merge = (stored: StoredPod): StoredPod => ({ ...stored, status: mergeStatus(stored.status, pod.status) });
      const saved = this.#attempt(() => this.#change('status', merge), isTerminalPhase(pod.status.phase));
      if (saved === undefined && !this.#isGone) this.#retry = this.#wakeAfter(RETRY_MS, () => this.saveStatus(pod));
      return saved ?? pod;
    } finally {
      this.#isSavingStatus = false;
    }
  }

  /** Calls back when the status is written, mostly at once, or when that takes too long. */
  whenSaved(done: () => void): void {
    const deadlineMs = this.#options.clock.now().monotonicMs + PATIENCE_MS;
    const look = (): void => {
      const isTooLate = this.#options.clock.now().monotonicMs >= deadlineMs;
      if (this.#retry !== undefined && !this.#isGone && !isTooLate) return void this.#wakeAfter(RETRY_MS, look);
      this.#retry?.cancel();
      done();
    };
    look();
  }

  #wakeAfter(ms: number, run: () => void): Alarm {
    const { clock } = this.#options;
    return clock.wakeAt(clock.now().monotonicMs + ms, run);
  }

  /** Records events of the kubelet or of podrun. Those of a Pod whose object is gone are not stored. */
  events(pod: StoredPod, drafts: readonly EventDraft[]): void {
    if (this.#isGone) return this.#recorder.record(pod, drafts);
    this.#write(() => this.#recorder.record(pod, drafts), undefined);
  }

  /** Records an event of the scheduler. */
  schedulingEvent(pod: StoredPod, draft: SchedulingEvent): void {
    this.#write(() => this.#recorder.recordScheduling(pod, draft), undefined);
  }

  /**
   * Removes the object from the store, as the API server does when the kubelet has finished. Returns false when
   * finalizers keep the object: changeObject removes it with the last of them.
   */
  remove(): boolean {
    const { store, pod, clock } = this.#options;
    const { name, namespace } = pod.metadata;
    const done = this.#attempt(
      () => this.#change('object', (stored) => withoutGrace(stored, clock.now().wallMs)),
      true,
    );
    if (hasFinalizers(done ?? pod) && isStored(store, pod)) return false;
    this.#attempt(() => store.delete('pods', namespace, name), true);
    this.gone();
    return true;
  }

  /** Changes the stored object of this Pod, but not of a later Pod with the same name. */
  #change(part: ObjectPart, change: (stored: StoredPod) => StoredPod): StoredPod {
    const { store, pod } = this.#options;
    const { uid } = pod.metadata;
    return store.change<StoredPod>('pods', pod.metadata, part, (stored) => {
      const changed = change(stored);
      return { ...changed, metadata: { ...changed.metadata, uid } };
    });
  }

  #write<T>(write: () => T, otherwise: T): T {
    return this.#attempt(write, false) ?? otherwise;
  }

  /**
   * Runs a write. Returns undefined when it fails.
   * @param isLast true at the end of the Pod, which may use the reserve
   */
  #attempt<T>(write: () => T, isLast: boolean): T | undefined {
    if (this.#isGone) return undefined;
    const { store, pod, onGone } = this.#options;
    try {
      const written = write();
      this.#reportedError = '';
      return written;
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      if (!isStored(store, pod)) {
        this.gone();
        this.#wakeAfter(WATCH_MS, onGone);
      } else if (isLast && store.spendReserve(pod.metadata)) return this.#attempt(write, false);
      else this.#report(error);
      return undefined;
    }
  }

  /** Reports an error once, however often it repeats. */
  #report(error: PodrunError): void {
    if (error.message === this.#reportedError) return;
    this.#reportedError = error.message;
    this.#options.onTrouble(error);
  }
}
