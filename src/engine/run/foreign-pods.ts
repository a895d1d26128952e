import { isLost, isTerminalPhase, PodrunError, type StoredPod, type WatchEvent } from '../../api/index.ts';
import type { RunRecord } from '../../lifecycle/index.ts';
import type { FileStore, Subscription } from '../../store/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';

/** True when a process runs this Pod or another one of the name, also a process that does not answer. */
export function hasLiveOwner(store: FileStore, { metadata: { namespace, name } }: StoredPod): boolean {
  if (!store.owners.isOwned(namespace, name)) return false;
  const stored = store.get<StoredPod>('pods', namespace, name);
  return stored !== undefined && !isTerminalPhase(stored.status.phase);
}

/**
 * Refuses Pods whose owner may live and does not answer. A change would have no effect, and a second run of the same
 * Pod might start.
 * @throws {PodrunError} that names the first such owner and its place
 */
export function refuseSilentOwners(store: FileStore, pods: readonly ManifestObject<StoredPod>[]): void {
  for (const { object } of pods) {
    const { namespace, name } = object.metadata;
    const owner = store.owners.of(namespace, name);
    if (owner === undefined || store.owners.stateOf(owner) !== 'silent') continue;
    throw new PodrunError(
      'Unreachable',
      `pod "${name}" belongs to ${store.owners.describe(owner)}, which does not answer`,
      {
        hint:
          `Resume that process. If it is gone for good, remove its record: ` +
          `podrun delete pod ${name} -n ${namespace} --force. ` +
          'This ends no processes that still run there.',
      },
    );
  }
}

/** Pods of other processes that this process waits for. */
export class ForeignPods {
  readonly #store: FileStore;
  readonly #pods = new Map<string, StoredPod>();
  readonly #over = new Set<string>();
  readonly #subscriptions: Subscription[];

  /** @param onChange called after every change of one of the Pods */
  constructor(store: FileStore, pods: readonly StoredPod[], onChange: () => void) {
    this.#store = store;
    for (const pod of pods) this.#pods.set(pod.metadata.uid, pod);
    this.#subscriptions = pods.map(({ metadata: { namespace, name } }) =>
      store.watch<StoredPod>('pods', { namespace, name }, (event) => {
        this.#take(event);
        onChange();
      }),
    );
    // Looks once more after subscribing: the Pods may have changed before.
    for (const pod of pods) this.#catchUp(store, pod);
  }

  /** The Pods in their last known state. */
  get pods(): readonly StoredPod[] {
    return [...this.#pods.values()];
  }

  /** True when all of them have ended, are gone, or have lost their podrun. */
  get isOver(): boolean {
    return this.#over.size === this.#pods.size;
  }

  /** incomplete: an owner could not record all states or events of its Pods. */
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
