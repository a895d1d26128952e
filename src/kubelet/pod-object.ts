import {
  hasFinalizers,
  isMirrorPod,
  isTerminalPhase,
  PodrunError,
  type PodSpec,
  type PodStatus,
  resolvedUid,
  type StoredPod,
} from '../api/index.ts';
import { bindVolumes, type EventRecorder, isRenewed, isStored } from '../apiserver/index.ts';
import type { Alarm } from '../clock.ts';
import { boundTo, mergeStatus, type VolumeChoice, withoutGrace } from '../lifecycle/index.ts';
import type { ObjectPart, Subscription } from '../store/index.ts';
import type { RunOfPod } from './pod-run-agent.ts';

/** The time in which the store's watch reports whether a missing object was deleted by force. */
const WATCH_MS = 1000;

/** The delay before a failed write is repeated. */
const RETRY_MS = 1000;

/** The longest wait of an ended Pod for such a write. After that its record stays open: see Ownership.release. */
const PATIENCE_MS = 10_000;

/**
 * The stored object of a run. Held: only finalizers keep it. Missing: a write did not find it; its deletion is not
 * reported. Overtaken: so, when this run was about to remove it.
 */
type ObjectState = 'present' | 'removing' | 'held' | 'missing' | 'overtaken' | 'gone';

interface PodObjectOptions extends Pick<RunOfPod<unknown>, 'pod' | 'store' | 'clock' | 'onTrouble'> {
  /** Stores no more events of the Pod when its object is gone. */
  readonly recorder: EventRecorder;
  /** Called with each state that another writer has stored, and with the last one when the object was removed. */
  readonly onChange: (isRemoved: boolean, object: StoredPod) => void;
  /** Called when the object is gone, and the store has not reported that in time. */
  readonly onMissing: () => void;
}

/**
 * The object of a run in the store: its newest known state, the writes of the run, and whether the store has it. The
 * store may have no room: a full disk must not end running programs. The user gets a warning, and the last status is
 * written as soon as possible. The store keeps a reserve for the end of the Pod.
 */
export class PodObject {
  readonly #options: PodObjectOptions;
  /** Reports the changes of other writers. The store gets it with each write: it names the writer. */
  #subscription: Subscription | undefined;
  #state: ObjectState = 'present';
  /** Repeats a failed write. Undefined: everything is written. */
  #retry: Alarm | undefined;
  /** The last error that was reported. */
  #reportedError = '';
  /** The newest known state, as the node knows it: see `asRun`. Its status may wait to be written. */
  pod: StoredPod;
  /** True when the store has reported the removal of the object. Another process may have removed it shortly before. */
  isRemovalReported = false;

  constructor(options: PodObjectOptions) {
    this.#options = options;
    this.pod = asRun(options.pod, options.pod.spec);
  }

  get state(): ObjectState {
    return this.#state;
  }

  /** True when the object was removed. Further writes are dropped. */
  get isRemoved(): boolean {
    return ['missing', 'overtaken', 'gone'].includes(this.#state);
  }

  /** Begins to follow the object. Returns false when it was removed before. */
  follow(): boolean {
    const { pod, store, onChange } = this.#options;
    const { namespace, name, uid } = this.pod.metadata;
    this.#subscription = store.watch<StoredPod>('pods', { namespace, name }, ({ type, object: stored }) => {
      if (resolvedUid(stored) !== uid || (type === 'DELETED' && isRenewed(store, stored))) return;
      onChange(type === 'DELETED', asRun(stored, this.pod.spec));
    });
    // A client may have changed the Pod since it was stored.
    const present = this.read();
    if (present !== undefined) this.take(present);
    // A mirror Pod may be missing for a moment.
    return present !== undefined || isMirrorPod(pod);
  }

  /** The object in the store. Undefined: it is gone, or another Pod has its name. */
  read(): StoredPod | undefined {
    const { namespace, name, uid } = this.pod.metadata;
    const stored = this.#options.store.get<StoredPod>('pods', namespace, name);
    return stored === undefined || resolvedUid(stored) !== uid ? undefined : asRun(stored, this.pod.spec);
  }

  /** Remembers a state of the object. Returns false when a later one is known. */
  take(pod: StoredPod): boolean {
    if (Number(pod.metadata.resourceVersion) < Number(this.pod.metadata.resourceVersion)) return false;
    this.pod = pod;
    return true;
  }

  /** Looks for the object, also where no watch has reported that it is gone. */
  look(): void {
    if (this.#state !== 'present' || isMirrorPod(this.pod)) return;
    if (!isStored(this.#options.store, this.pod)) this.#missing();
  }

  /** Binds claims of the Pod to volumes, and the Pod to a node. */
  bind(nodeName: string, volumes: readonly VolumeChoice[]): void {
    const { store, clock } = this.#options;
    if (volumes.length > 0) this.attempt(() => bindVolumes(store, nodeName, volumes));
    const { metadata } = this.pod;
    const bound = (pod: StoredPod): StoredPod => boundTo(withUid(pod, metadata.uid), nodeName, clock.now());
    this.take(this.attempt(() => store.bind(metadata, bound, this.#subscription)) ?? bound(this.pod));
  }

  /** Stores the status, and keeps the parts that other writers own. Returns undefined when this fails. */
  writeStatus(status: PodStatus): StoredPod | undefined {
    this.cancelRetry();
    const merge = (stored: StoredPod): StoredPod => ({ ...stored, status: mergeStatus(stored.status, status) });
    const written = this.#change('status', merge, isTerminalPhase(status.phase));
    return written && asRun(written, this.pod.spec);
  }

  /**
   * Removes the object, as the API server does for the kubelet. Returns its state where finalizers keep it: it goes
   * with the last of them. Undefined: another process has removed it meanwhile, which the watch has reported, or will.
   */
  remove(): 'removed' | { readonly held: StoredPod } | undefined {
    const { store, clock } = this.#options;
    const { name, namespace } = this.pod.metadata;
    this.#state = 'removing';
    const pod = this.#change('object', (stored) => withoutGrace(stored, clock.now().wallMs), true) ?? this.pod;
    if (this.isRemoved) return undefined;
    if (hasFinalizers(pod) && isStored(store, pod)) {
      this.#state = 'held';
      return { held: pod };
    }
    const removed = this.attempt(() => store.delete('pods', namespace, name, this.#subscription), true);
    if (this.isRemoved) return undefined;
    this.isRemovalReported ||= removed !== undefined;
    return 'removed';
  }

  /** Notes that the object is gone: nothing is written from now on. Returns its state before. */
  gone(): ObjectState {
    const before = this.#state;
    this.#state = 'gone';
    this.cancelRetry();
    this.#options.recorder.stopStoring();
    return before;
  }

  /**
   * Runs a write. Returns undefined when it fails.
   * @param isLast true at the end of the Pod, which may use the reserve
   */
  attempt<T>(write: () => T, isLast = false): T | undefined {
    const { store, onTrouble } = this.#options;
    if (this.isRemoved) return undefined;
    try {
      const written = write();
      this.#reportedError = '';
      return written;
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      if (!isStored(store, this.pod)) this.#missing();
      else if (isLast && store.spendReserve(this.pod.metadata)) return this.attempt(write);
      else {
        // The same error may repeat often.
        if (error.message !== this.#reportedError) onTrouble(error);
        this.#reportedError = error.message;
      }
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
  whenWritten(done: () => void): void {
    const deadlineMs = this.#options.clock.now().monotonicMs + PATIENCE_MS;
    const look = (): void => {
      const isTooLate = this.#options.clock.now().monotonicMs >= deadlineMs;
      if (this.#retry !== undefined && !isTooLate) return void this.#wakeAfter(RETRY_MS, look);
      this.cancelRetry();
      done();
    };
    look();
  }

  close(): void {
    this.#subscription?.close();
  }

  /** Changes the stored object of this Pod, but not of a later Pod with the same name. See `attempt`. */
  #change(part: ObjectPart, change: (stored: StoredPod) => StoredPod, isLast: boolean): StoredPod | undefined {
    const [{ store }, { metadata }] = [this.#options, this.pod];
    const ofThis = ofPod(metadata.uid, change);
    return this.attempt(() => store.change('pods', metadata, part, ofThis, this.#subscription), isLast);
  }

  #missing(): void {
    const { recorder, onMissing } = this.#options;
    if (this.#state === 'held') return onMissing();
    this.#state = this.#state === 'removing' ? 'overtaken' : 'missing';
    recorder.stopStoring();
    this.#wakeAfter(WATCH_MS, onMissing);
  }

  #wakeAfter(ms: number, run: () => void): Alarm {
    const { clock } = this.#options;
    return clock.wakeAt(clock.now().monotonicMs + ms, run);
  }
}

/**
 * The Pod as the node runs it. A mirror Pod has a uid of its own, and a change of it changes no static Pod.
 * @param spec the spec of a static Pod
 */
function asRun(stored: StoredPod, spec: PodSpec): StoredPod {
  return isMirrorPod(stored) ? { ...withUid(stored, resolvedUid(stored)), spec } : stored;
}

/** A change of this stored Pod alone, not of a later one of the same name. */
function ofPod(uid: string, change: (stored: StoredPod) => StoredPod): (stored: StoredPod) => StoredPod {
  return (stored) => withUid(change(stored), resolvedUid(stored) === uid ? stored.metadata.uid : uid);
}

/** The Pod with another uid. */
function withUid(pod: StoredPod, uid: string): StoredPod {
  return { ...pod, metadata: { ...pod.metadata, uid } };
}
