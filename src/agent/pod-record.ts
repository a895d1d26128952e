import { PodrunError } from '../api/errors.ts';
import { hasFinalizers } from '../api/finalizers.ts';
import { isTerminalPhase, type StoredEvent, type StoredPod, type WatchEvent } from '../api/objects.ts';
import type { Alarm, Clock } from '../clock.ts';
import type { EventDraft } from '../lifecycle/effects.ts';
import { withScheduled } from '../lifecycle/node/pod-scheduled.ts';
import { markedGone } from '../lifecycle/requests/deletion.ts';
import { mergeStatus } from '../lifecycle/status/merge-status.ts';
import type { SchedulingEvent } from '../lifecycle/texts/events.ts';
import type { ObjectPart, Store } from '../store/store.ts';
import { isStored } from './clean-up/is-stored.ts';
import { EventRecorder } from './event-recorder.ts';

/** Where a Pod is on record, and who is told when it cannot be. */
export interface PodRecordOptions {
  readonly pod: StoredPod;
  readonly store: Store;
  readonly clock: Clock;
  readonly nodeName: string;
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
  /** Something could not be written down. */
  readonly onTrouble: (error: PodrunError) => void;
  /** A write has shown that the object is not there any more. The store's watch has had the time to say why. */
  readonly onGone: () => void;
}

/** The store's watch tells within this time whether a record that is gone was deleted by force. */
const WATCH_MS = 1000;

/** A status that could not be written is written again after this long, until it is on record. */
const RETRY_MS = 1000;

/** The end of a Pod waits this long for that. Then its record stays open: see Ownership.release. */
const PATIENCE_MS = 10_000;

/**
 * What is stored of one Pod: its object and its events. A store that cannot be written to (a full disk, say) must not
 * take running programs down: the user is told, and the status is written as soon as that is possible. For the end of
 * the Pod there is room in reserve. A Pod that is no longer there was removed by force.
 */
export class PodRecord {
  readonly #options: PodRecordOptions;
  readonly #recorder: EventRecorder;
  #isGone = false;
  #isBinding = false;
  #isSavingStatus = false;
  /** Writes again what could not be written; undefined: all is. */
  #retry: Alarm | undefined;
  /** What the user was told last of what cannot be written. */
  #toldTrouble = '';

  constructor(options: PodRecordOptions) {
    this.#options = options;
    this.#recorder = new EventRecorder(options);
  }

  /** Nothing is left to write to: what is to be written is dropped. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** The store tells of changes while the Pod is being bound: they are in what `bind` answers. */
  get isBinding(): boolean {
    return this.#isBinding;
  }

  /** The store tells of changes while the status is being written: they are in what `saveStatus` answers. */
  get isSavingStatus(): boolean {
    return this.#isSavingStatus;
  }

  /** Somebody removed the object. */
  gone(): void {
    this.#isGone = true;
    this.#recorder.stopKeeping();
  }

  /** The Pod with its node. What others make of it meanwhile is in it, and needs no answer of its own. */
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

  /** Writes the status of the Pod; what others have written into it meanwhile stays. Answers the Pod as stored. */
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

  /** Calls back when all is written, or when that takes too long: at once, mostly. */
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

  /** Events of the kubelet, or of podrun. Those of a Pod whose object is gone reach only who follows it now. */
  events(pod: StoredPod, drafts: readonly EventDraft[]): void {
    if (this.#isGone) return this.#recorder.record(pod, drafts);
    this.#write(() => this.#recorder.record(pod, drafts), undefined);
  }

  /** An event of the scheduler. */
  schedulingEvent(pod: StoredPod, draft: SchedulingEvent): void {
    this.#write(() => this.#recorder.recordScheduling(pod, draft), undefined);
  }

  /**
   * Takes the object out of the store, as the API server does when the kubelet is done with it. Answers false when
   * finalizers hold it: it is removed with the last of them, see changeObject.
   */
  remove(): boolean {
    const { store, pod, clock } = this.#options;
    const { name, namespace } = pod.metadata;
    const done = this.#attempt(() => this.#change('object', (stored) => markedGone(stored, clock.now().wallMs)), true);
    if (hasFinalizers(done ?? pod) && isStored(store, pod)) return false;
    this.#attempt(() => store.delete('pods', namespace, name), true);
    this.gone();
    return true;
  }

  /** Changes what is stored of this Pod, and of no other that has its name now. */
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
   * Answers undefined where that cannot be written.
   * @param isLast it is the end of the Pod, for which there is room in reserve
   */
  #attempt<T>(write: () => T, isLast: boolean): T | undefined {
    if (this.#isGone) return undefined;
    const { store, pod, onGone } = this.#options;
    try {
      const written = write();
      this.#toldTrouble = '';
      return written;
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      if (!isStored(store, pod)) {
        this.gone();
        this.#wakeAfter(WATCH_MS, onGone);
      } else if (isLast && store.spendReserve(pod.metadata)) return this.#attempt(write, false);
      else this.#tell(error);
      return undefined;
    }
  }

  /** The same trouble once, however often it is met. */
  #tell(error: PodrunError): void {
    if (error.message === this.#toldTrouble) return;
    this.#toldTrouble = error.message;
    this.#options.onTrouble(error);
  }
}
