import type { StoredEvent, StoredPod, WatchEvent } from '../../api/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import {
  DELETED_FOR_TAINT,
  DISRUPTION_TARGET,
  type NodeFacts,
  setConditions,
  taintEviction,
  toleranceMs,
} from '../../lifecycle/index.ts';
import type { FileStore } from '../../store/index.ts';
import { deletePod, EventRecorder } from '../../apiserver/index.ts';

export interface TaintEvictionOptions {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Deletes Pods that do not tolerate a NoExecute taint of their node, or not any longer.
 * Source: pkg/controller/tainteviction/taint_eviction.go.
 */
export class TaintEvictions {
  readonly #options: TaintEvictionOptions;
  readonly #recorder: EventRecorder;
  /** The ends of tolerations, by uid of the Pod. */
  readonly #alarms = new Map<string, Alarm>();

  constructor(options: TaintEvictionOptions) {
    this.#options = options;
    this.#recorder = new EventRecorder({ ...options, controller: 'taint-eviction-controller' });
  }

  /** Looks at Pods of the node: again after each change of its taints, and at each new Pod. */
  look(pods: () => readonly StoredPod[], { taints }: NodeFacts): void {
    const { clock } = this.#options;
    if (this.#alarms.size === 0 && taints.every(({ effect }) => effect !== 'NoExecute')) return;
    for (const pod of pods()) {
      const { uid } = pod.metadata;
      const alarm = this.#alarms.get(uid);
      const waitMs = toleranceMs(pod.spec, taints);
      if (waitMs === 0) this.#evict(pod);
      else if (waitMs === Infinity && alarm !== undefined) {
        this.#forget(uid);
        this.#recorder.record(pod, [taintEviction('Cancelling deletion of', pod.metadata)]);
      } else if (waitMs !== Infinity && alarm === undefined) {
        this.#alarms.set(
          uid,
          clock.wakeAt(clock.now().monotonicMs + waitMs, () => this.#evict(pod)),
        );
      }
    }
  }

  close(): void {
    for (const uid of this.#alarms.keys()) this.#forget(uid);
  }

  #forget(uid: string): void {
    this.#alarms.get(uid)?.cancel();
    this.#alarms.delete(uid);
  }

  #evict({ metadata }: StoredPod): void {
    const { store, clock, onTrouble } = this.#options;
    const { namespace, name, uid } = metadata;
    this.#forget(uid);
    const pod = store.get<StoredPod>('pods', namespace, name);
    if (pod?.metadata.uid !== uid || pod.metadata.deletionTimestamp !== undefined) return;
    this.#recorder.record(pod, [taintEviction('Marking for deletion', metadata)]);
    const edit = { type: DISRUPTION_TARGET, status: 'True', ...DELETED_FOR_TAINT } as const;
    try {
      store.change<StoredPod>('pods', pod.metadata, 'status', (stored) => {
        return { ...stored, status: setConditions(stored.status, [edit], clock.now().wallMs) };
      });
    } catch (error) {
      onTrouble(error);
    }
    void deletePod({ store, clock, namespace, name, graceSeconds: undefined }).catch(onTrouble);
  }
}
