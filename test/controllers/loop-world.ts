import { deleteRecord } from '../../src/apiserver/deletion/delete-record.ts';
import { requestDeletion } from '../../src/apiserver/deletion/request-deletion.ts';
import { WorkloadLoop } from '../../src/workloads/workload-loop.ts';
import { writePatch } from '../../src/apiserver/base/write-patch.ts';
import { hasFinalizers } from '../../src/api/finalizers.ts';
import type { JsonObject } from '../../src/api/base/json.ts';
import type { KubeObject, StoredEvent, StoredKubeObject, StoredPod, WatchEvent } from '../../src/api/base/objects.ts';
import { everyResourceType, resourceTypeOf } from '../../src/api/resource-types.ts';
import { isWorkload } from '../../src/api/workloads/stored-workloads.ts';
import type { PropagationPolicy } from '../../src/controllers/garbage/collect.ts';
import { NAME_ALPHABET } from '../../src/controllers/base/names.ts';
import type { NewObject } from '../../src/controllers/base/reconcile.ts';
import { asCreated } from '../../src/manifest/default/created.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../src/simulation/memory-store.ts';
import type { WorldObject } from './world.ts';

/**
 * The loop of the agent with its controllers, over a store in memory. Nobody runs the Pods: the test writes what a
 * kubelet would.
 */
export class LoopWorld {
  readonly writes: Array<WatchEvent<WorldObject>> = [];
  /** The last state of each Event, by uid. */
  readonly events: Map<string, StoredEvent> = new Map();
  readonly #clock: ManualClock;
  readonly #store: MemoryStore;
  readonly #loop: WorkloadLoop;
  readonly #present = new Map<string, WorldObject>();
  #count = 0;

  /** @param nowMs the time at which it begins */
  constructor(nowMs: number) {
    const clock = new ManualClock(nowMs);
    const store = new MemoryStore(clock);
    for (const { plural } of everyResourceType()) {
      if (plural !== 'events') store.watch<WorldObject>(plural, {}, (event) => this.#seen(event));
    }
    this.#clock = clock;
    this.#store = store;
    this.#loop = new WorkloadLoop({
      store,
      clock,
      nodes: () => [{ name: 'node-1', labels: {}, taints: [], allocatable: {}, hostIPs: ['127.0.0.1'] }],
      timeZone: () => 'UTC',
      suffix: () => this.#suffix(),
      newUid: () => `made-${(this.#count += 1)}`,
      claim: () => () => undefined,
      runsPod: () => false,
      startPod: (pod) => store.create('pods', pod) as never,
      deletePod: (pod, propagation) => requestDeletion(store, clock, pod, { propagation, isOwned: true }),
      onObject: () => undefined,
      onEvent: ({ object }) => void this.events.set(object.metadata.uid, object),
      onTurn: () => undefined,
      onTrouble: (error) => {
        throw error;
      },
    });
  }

  get(uid: string): WorldObject | undefined {
    return this.#present.get(uid);
  }

  /** The objects that are there now. */
  list(): WorldObject[] {
    return [...this.#present.values()];
  }

  /** Stores an object of a user. The loop looks after a workload. */
  create(object: NewObject, uid: string): void {
    const named = { ...object, metadata: { ...object.metadata, uid } } as KubeObject;
    const stored = this.#store.create<StoredKubeObject>(
      resourceTypeOf(object).plural,
      asCreated(named, () => uid) as StoredKubeObject,
    );
    if (isWorkload(stored)) this.#loop.add(stored, () => undefined);
    else this.#loop.followServices(stored.metadata.namespace);
  }

  /** Changes metadata and spec by a merge patch, and replaces the status if one is given. */
  update(uid: string, patch: JsonObject, status?: JsonObject): void {
    const object = this.get(uid);
    if (object === undefined) return;
    const { apiVersion, kind, metadata } = object;
    const { namespace, name } = metadata;
    writePatch(this.#store, { apiVersion, kind, namespace, name, uid }, patch);
    if (status === undefined || this.get(uid) === undefined) return;
    this.#store.change<StoredKubeObject>(resourceTypeOf(object).plural, metadata, 'status', (stored) => {
      return { ...stored, status };
    });
  }

  delete(uid: string, policy: PropagationPolicy): void {
    const object = this.get(uid);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return;
    if (object.kind !== 'Pod') deleteRecord(this.#store, this.#clock, object, policy);
    else {
      const pod = object as unknown as StoredPod;
      requestDeletion(this.#store, this.#clock, pod, { propagation: policy, isOwned: true });
    }
  }

  /** The node has ended a Pod that is being deleted. */
  endDeletion(uid: string): void {
    this.update(uid, { metadata: { deletionGracePeriodSeconds: 0 } });
    const pod = this.get(uid);
    if (pod !== undefined && !hasFinalizers(pod)) this.#store.delete('pods', pod.metadata.namespace, pod.metadata.name);
  }

  /** Moves the clock. The controllers do all that they have to do until then. */
  async advance(toMs: number): Promise<void> {
    await this.#clock.run(Math.max(0, toMs - this.#clock.now().wallMs));
  }

  /** The store in memory shows removed objects with a mark of their deletion, a cluster in their last state. */
  #seen({ type, object }: WatchEvent<WorldObject>): void {
    const { uid } = object.metadata;
    this.writes.push({ type, object: (type === 'DELETED' ? this.get(uid) : undefined) ?? object });
    if (type === 'DELETED') this.#present.delete(uid);
    else this.#present.set(uid, object);
  }

  #suffix(): string {
    this.#count += 1;
    let rest = this.#count;
    return Array.from({ length: 5 }, () => {
      const character = NAME_ALPHABET.charAt(rest % NAME_ALPHABET.length);
      rest = Math.floor(rest / NAME_ALPHABET.length);
      return character;
    }).join('');
  }
}
