import { controllerOf, type StoredPod, type StoredService, type WatchEvent } from '../../api/objects.ts';
import { everyResourceType, type ResourceType } from '../../api/resource-types.ts';
import type { Owned } from '../../controllers/reconcile.ts';
import type { Store, Subscription } from '../../store/store.ts';

const WATCHED_KINDS: ReadonlySet<string> = new Set([
  'ControllerRevision',
  'CronJob',
  'DaemonSet',
  'Deployment',
  'EndpointSlice',
  'Endpoints',
  'Job',
  'PersistentVolumeClaim',
  'Pod',
  'ReplicaSet',
  'ReplicationController',
  'Service',
  'StatefulSet',
]);

/** The types of the objects that controllers look at, make or look after. */
export function controlledTypes(): ResourceType[] {
  return everyResourceType().filter(({ kind }) => WATCHED_KINDS.has(kind));
}

/** Called after each change, with the state before it. */
export type CacheListener = (event: WatchEvent<Owned>, before: Owned | undefined) => void;

/**
 * The objects of the namespaces with workloads, as the store last reported them, with indexes. It has the own writes of
 * this process as soon as they are written.
 */
export class ObjectCache {
  readonly #store: Store;
  readonly #listener: CacheListener;
  readonly #byUid = new Map<string, Owned>();
  /** The uids of the objects that name an owner, by the uid of the owner. It need not exist. */
  readonly #byOwner = new Map<string, Set<string>>();
  /** The uids of objects without a controller, by namespace and kind. */
  readonly #free = new Map<string, Set<string>>();
  readonly #subscriptions = new Map<string, readonly Subscription[]>();

  constructor(store: Store, listener: CacheListener) {
    this.#store = store;
    this.#listener = listener;
  }

  /** Follows a namespace from now on. Reports the objects that exist as ADDED. */
  follow(namespace: string): void {
    if (this.#subscriptions.has(namespace)) return;
    const types = controlledTypes();
    this.#subscriptions.set(
      namespace,
      types.map(({ plural }) => this.#store.watch<Owned>(plural, { namespace }, (event) => this.#take(event))),
    );
    for (const { plural } of types) {
      for (const object of this.#store.list<Owned>(plural, { namespace })) this.#take({ type: 'ADDED', object });
    }
  }

  get(uid: string): Owned | undefined {
    return this.#byUid.get(uid);
  }

  /** The objects of a namespace, of one kind or of all. */
  allOf<T extends Owned>(namespace: string, kind?: string): T[] {
    const isWanted = (object: Owned): boolean =>
      object.metadata.namespace === namespace && (kind === undefined || object.kind === kind);
    return [...this.#byUid.values()].filter(isWanted) as T[];
  }

  /** The objects of a kind whose controller has this uid. */
  controlledBy<T extends Owned>(uid: string, kind: string): T[] {
    return this.dependentsOf(uid).filter((object) => object.kind === kind && controllerOf(object)?.uid === uid) as T[];
  }

  /** The objects that name this owner. */
  dependentsOf(uid: string): Owned[] {
    return this.#present(this.#byOwner.get(uid));
  }

  /** The Pods of an owner, and of what it owns. */
  podsBelow(uid: string): StoredPod[] {
    return this.dependentsOf(uid).flatMap((object) => (isPod(object) ? [object] : this.podsBelow(object.metadata.uid)));
  }

  /** The objects of a kind that no controller has. */
  free<T extends Owned>(namespace: string, kind: string): T[] {
    return this.#present(this.#free.get(`${namespace}/${kind}`)) as T[];
  }

  close(): void {
    for (const subscriptions of this.#subscriptions.values()) for (const each of subscriptions) each.close();
    this.#subscriptions.clear();
  }

  #present(uids: ReadonlySet<string> = new Set()): Owned[] {
    return [...uids].flatMap((uid) => this.#byUid.get(uid) ?? []);
  }

  #take(event: WatchEvent<Owned>): void {
    const { object } = event;
    const { uid, resourceVersion } = object.metadata;
    const before = this.#byUid.get(uid);
    if (before !== undefined && Number(before.metadata.resourceVersion) > Number(resourceVersion)) return;
    if (before?.metadata.resourceVersion === resourceVersion && event.type !== 'DELETED') return;
    if (before === undefined && event.type === 'DELETED') return;
    if (before !== undefined) this.#index(before, (set) => set.delete(uid));
    if (event.type === 'DELETED') this.#byUid.delete(uid);
    else {
      this.#byUid.set(uid, object);
      this.#index(object, (set) => set.add(uid));
    }
    this.#listener(before === undefined ? { type: 'ADDED', object } : event, before);
  }

  #index(object: Owned, change: (set: Set<string>) => void): void {
    const { namespace, ownerReferences = [] } = object.metadata;
    for (const { uid } of ownerReferences) changeSet(this.#byOwner, uid, change);
    if (controllerOf(object) === undefined) changeSet(this.#free, `${namespace}/${object.kind}`, change);
  }
}

function changeSet(sets: Map<string, Set<string>>, key: string, change: (set: Set<string>) => void): void {
  const set = sets.get(key) ?? new Set();
  change(set);
  if (set.size === 0) sets.delete(key);
  else sets.set(key, set);
}

export function isPod(object: Owned): object is StoredPod {
  return object.kind === 'Pod';
}

export function isService(object: Owned): object is StoredService {
  return object.kind === 'Service';
}
