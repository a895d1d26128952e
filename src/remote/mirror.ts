import type { RunListener } from '../engine/index.ts';
import {
  isTerminalPhase,
  resourceTypeOf,
  type StoredEvent,
  type StoredKubeObject,
  type StoredPod,
  type WatchEvent,
} from '../api/index.ts';
import type { FileStore } from '../store/index.ts';
import type { PodLogs } from './pod-logs.ts';

export interface MirrorOptions {
  readonly store: FileStore;
  /** The command of the user, for messages. */
  readonly command: string;
  readonly listener: Pick<RunListener, 'onPod' | 'onEvent' | 'onObject'>;
  readonly logs: PodLogs;
}

/**
 * Writes the objects of a run on a cluster into the store of this machine, each state in one step. So everything that
 * podrun tells of a run works as for its own Pods: views, timelines, reports, `wait`, `describe`.
 */
export class Mirror {
  readonly #options: MirrorOptions;
  /** By uid: gives the record up. */
  readonly #releases = new Map<string, () => void>();
  readonly #pods = new Map<string, StoredPod>();
  /** By uid: the latest version on the cluster that is in the store. */
  readonly #versions = new Map<string, number>();
  #isEnding = false;

  constructor(options: MirrorOptions) {
    this.#options = options;
  }

  /** The Pods of the run, in their last state, also Pods that podrun has removed at the end. */
  get pods(): readonly StoredPod[] {
    return [...this.#pods.values()];
  }

  /** From now on the objects go because the run ends: their records stay in their last state. */
  end(): void {
    this.#isEnding = true;
  }

  /** Takes a state of an object. One that is older than what the store has is passed over. */
  take({ type, object }: WatchEvent<StoredKubeObject>): void {
    const { uid, resourceVersion } = object.metadata;
    const known = this.#versions.get(uid);
    if (Number(resourceVersion) <= (known ?? 0)) return;
    this.#versions.set(uid, Number(resourceVersion));
    const isNew = known === undefined;
    if (this.#isEnding) {
      if (object.kind === 'Pod') this.#pod('MODIFIED', this.#withoutOwnDeletion(object as unknown as StoredPod));
      if (object.kind === 'Event' && type !== 'DELETED') this.#event(isNew, object);
      return;
    }
    if (object.kind === 'Pod') this.#pod(type, object as unknown as StoredPod);
    else if (object.kind !== 'Event') this.#object(type, object);
    else if (type !== 'DELETED') this.#event(isNew, object);
  }

  /** The Pod without the deletion by podrun at the end of the run. One that another client began before stays. */
  #withoutOwnDeletion(pod: StoredPod): StoredPod {
    if (this.#pods.get(pod.metadata.uid)?.metadata.deletionTimestamp !== undefined) return pod;
    const { deletionTimestamp: _, deletionGracePeriodSeconds: __, ...metadata } = pod.metadata;
    return { ...pod, metadata };
  }

  /** Gives the records up. Pods that were removed before they had ended are recorded as Failed. */
  close(): void {
    const { store } = this.#options;
    for (const { metadata, status } of this.#pods.values()) {
      if (isTerminalPhase(status.phase)) continue;
      store.bind(metadata, (stored) => ({ ...stored, status: { ...stored.status, ...REMOVED } }));
    }
    for (const release of this.#releases.values()) release();
  }

  #pod(type: WatchEvent['type'], pod: StoredPod): void {
    const { listener, logs, store } = this.#options;
    const { uid, namespace, name } = pod.metadata;
    if (type === 'DELETED') {
      this.#releases.delete(uid);
      this.#pods.delete(uid);
      store.delete('pods', namespace, name);
      listener.onPod({ type, object: pod });
      return;
    }
    const isNew = !this.#pods.has(uid);
    if (isNew && this.#isEnding) return;
    const stored = isNew ? this.#begin(pod) : store.bind(pod.metadata, () => unversioned(pod));
    this.#pods.set(uid, stored);
    listener.onPod({ type: isNew ? 'ADDED' : 'MODIFIED', object: stored });
    logs.follow(stored);
  }

  #begin(pod: StoredPod): StoredPod {
    const started = this.#options.store.startRun(unversioned(pod), this.#options.command);
    if (!started.ok) return pod;
    this.#releases.set(pod.metadata.uid, started.release);
    return started.pod;
  }

  #event(isNew: boolean, object: StoredKubeObject): void {
    const { listener, store } = this.#options;
    const event = unversioned(object);
    const stored = isNew ? store.create('events', event) : store.update('events', event);
    listener.onEvent({ type: isNew ? 'ADDED' : 'MODIFIED', object: stored as unknown as StoredEvent });
  }

  #object(type: WatchEvent['type'], object: StoredKubeObject): void {
    const { listener, store } = this.#options;
    const { plural } = resourceTypeOf(object);
    const { namespace, name } = object.metadata;
    if (type === 'DELETED') store.delete(plural, namespace, name);
    const stored = type === 'DELETED' ? object : store.mirror<StoredKubeObject>(plural, unversioned(object));
    listener.onObject?.({ type, object: stored });
  }
}

const REMOVED = {
  phase: 'Failed',
  reason: 'RemovedFromCluster',
  message: 'podrun removed the Pod from the cluster before it had ended',
} as const;

/** The store of this machine counts its own versions. */
function unversioned<T extends { metadata: StoredKubeObject['metadata'] }>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, resourceVersion: '' } };
}
