import { PodrunError } from '../api/errors.ts';
import type { StoredEvent, StoredPod, WatchEvent } from '../api/objects.ts';
import type { Clock } from '../clock.ts';
import type { EventDraft } from '../lifecycle/effects.ts';
import { withScheduled } from '../lifecycle/node/pod-scheduled.ts';
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
  /** The object is not there any more, as a write has shown. */
  readonly onGone: () => void;
}

/**
 * What is stored of one Pod: its object and its events. A store that cannot be written to (a full disk, say) must not
 * take running programs down: the user is told, and the next change is another chance. A Pod that is no longer there
 * was removed by force.
 */
export class PodRecord {
  readonly #options: PodRecordOptions;
  readonly #recorder: EventRecorder;
  #isGone = false;
  #isBinding = false;
  #isSavingStatus = false;

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
    this.#isSavingStatus = true;
    try {
      const merge = (stored: StoredPod): StoredPod => ({ ...stored, status: mergeStatus(stored.status, pod.status) });
      return this.#write(() => this.#change('status', merge), pod);
    } finally {
      this.#isSavingStatus = false;
    }
  }

  /** Events of the kubelet, or of podrun. */
  events(pod: StoredPod, drafts: readonly EventDraft[]): void {
    this.#write(() => this.#recorder.record(pod, drafts), undefined);
  }

  /** An event of the scheduler. */
  schedulingEvent(pod: StoredPod, draft: SchedulingEvent): void {
    this.#write(() => this.#recorder.recordScheduling(pod, draft), undefined);
  }

  /** Takes the object out of the store, as the API server does when the kubelet is done with it. */
  remove(): void {
    const { store, pod } = this.#options;
    const { name, namespace } = pod.metadata;
    const hurry = (stored: StoredPod): StoredPod => ({
      ...stored,
      metadata: { ...stored.metadata, deletionGracePeriodSeconds: 0 },
    });
    this.#write(() => this.#change('object', hurry), undefined);
    this.#write(() => store.delete('pods', namespace, name), undefined);
    this.#isGone = true;
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
    if (this.#isGone) return otherwise;
    const { store, pod, onTrouble, onGone } = this.#options;
    try {
      return write();
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      if (isStored(store, pod)) onTrouble(error);
      else onGone();
      return otherwise;
    }
  }
}
