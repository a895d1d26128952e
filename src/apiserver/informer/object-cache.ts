import {
  controllerOf,
  everyResourceType,
  isSameJson,
  type ResourceType,
  type StoredPod,
  type StoredService,
} from '../../api/index.ts';
import type { Owned } from '../../controllers/index.ts';
import { Informer, type InformerChange, type Store } from '../../store/index.ts';

const WATCHED_KINDS: ReadonlySet<string> = new Set([
  'ControllerRevision',
  'CronJob',
  'DaemonSet',
  'Deployment',
  'EndpointSlice',
  'Endpoints',
  'HorizontalPodAutoscaler',
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

/**
 * The objects of the namespaces with workloads, as the store last reported them, with indexes. It has the own writes of
 * this process as soon as they are written.
 */
export class ObjectCache {
  readonly #store: Store;
  readonly #listener: (change: InformerChange<Owned>) => void;
  readonly #byUid = new Map<string, Owned>();
  /** By namespace, and by namespace and kind. */
  readonly #byNamespace = new Shelves();
  /** By the uid of an owner, which need not exist: the objects that name it. */
  readonly #byOwner = new Shelves();
  /** By the uid of a controller and by kind. */
  readonly #byController = new Shelves();
  /** By namespace and kind: the objects without a controller. */
  readonly #free = new Shelves();
  /** By namespace. */
  readonly #informers = new Map<string, readonly Informer<Owned>[]>();

  /** @param listener called after each change */
  constructor(store: Store, listener: (change: InformerChange<Owned>) => void) {
    this.#store = store;
    this.#listener = listener;
  }

  /** Follows a namespace from now on. Reports the objects that exist as ADDED. */
  follow(namespace: string): void {
    if (this.#informers.has(namespace)) return;
    const informers = controlledTypes().map(({ plural: resource }) => {
      return new Informer<Owned>({ store: this.#store, resource, scope: { namespace } }, (change) =>
        this.#take(change),
      );
    });
    this.#informers.set(namespace, informers);
    for (const informer of informers) {
      for (const object of informer.all) {
        // A listener may have changed it meanwhile: that was reported.
        if (informer.has(object)) this.#take({ type: 'ADDED', object, before: undefined });
      }
    }
  }

  get(uid: string): Owned | undefined {
    return this.#byUid.get(uid);
  }

  /** The objects of a namespace, of one kind or of all. */
  allOf<T extends Owned>(namespace: string, kind?: string): T[] {
    return this.#byNamespace.all(kind === undefined ? namespace : `${namespace}/${kind}`) as T[];
  }

  /** The objects of a kind whose controller has this uid. */
  controlledBy<T extends Owned>(uid: string, kind: string): T[] {
    return this.#byController.all(`${uid}/${kind}`) as T[];
  }

  /** The objects that name this owner. */
  dependentsOf(uid: string): Owned[] {
    return this.#byOwner.all(uid);
  }

  /** The Pods of an owner, and of what it owns. */
  podsBelow(uid: string): StoredPod[] {
    const pods: StoredPod[] = [];
    this.#addPodsBelow(uid, pods);
    return pods;
  }

  /** Followers of a run ask for thousands of Pods after each change: a list for each Pod takes six times as long. */
  #addPodsBelow(uid: string, pods: StoredPod[]): void {
    for (const object of this.#byOwner.each(uid)) {
      if (isPod(object)) pods.push(object);
      else this.#addPodsBelow(object.metadata.uid, pods);
    }
  }

  /** The objects of a kind that no controller has. */
  free<T extends Owned>(namespace: string, kind: string): T[] {
    return this.#free.all(`${namespace}/${kind}`) as T[];
  }

  close(): void {
    for (const informer of [...this.#informers.values()].flat()) informer.close();
    this.#informers.clear();
  }

  #take({ type, object }: InformerChange<Owned>): void {
    const { uid, ownerReferences: owners } = object.metadata;
    const before = this.#byUid.get(uid);
    const ownersBefore = before?.metadata.ownerReferences;
    if (before === undefined && type === 'DELETED') return;
    // On the shelves where it stays, it keeps its place.
    const hasSameOwners = owners === ownersBefore || isSameJson(owners ?? [], ownersBefore ?? []);
    if (before !== undefined && (type === 'DELETED' || !hasSameOwners))
      for (const [shelves, key] of this.#placesOf(before)) shelves.remove(key, uid);
    if (type === 'DELETED') this.#byUid.delete(uid);
    else this.#byUid.set(uid, object);
    for (const [shelves, key] of type === 'DELETED' ? [] : this.#placesOf(object)) shelves.put(key, object);
    this.#listener({ type: before === undefined ? 'ADDED' : type, object, before });
  }

  /** The shelves on which an object lies, each with its key. */
  #placesOf(object: Owned): [Shelves, string][] {
    const { kind, metadata } = object;
    const { namespace, ownerReferences = [] } = metadata;
    const controller = controllerOf(object);
    return [
      [this.#byNamespace, namespace],
      [this.#byNamespace, `${namespace}/${kind}`],
      ...ownerReferences.map(({ uid }): [Shelves, string] => [this.#byOwner, uid]),
      controller === undefined
        ? [this.#free, `${namespace}/${kind}`]
        : [this.#byController, `${controller.uid}/${kind}`],
    ];
  }
}

/** Objects by a key that several share. A controller asks for a thousand Pods at once: their uids would not do. */
class Shelves {
  readonly #shelves = new Map<string, Map<string, Owned>>();

  all(key: string): Owned[] {
    return [...this.each(key)];
  }

  each(key: string): Iterable<Owned> {
    return this.#shelves.get(key)?.values() ?? [];
  }

  put(key: string, object: Owned): void {
    const shelf = this.#shelves.get(key) ?? new Map<string, Owned>();
    this.#shelves.set(key, shelf.set(object.metadata.uid, object));
  }

  remove(key: string, uid: string): void {
    const shelf = this.#shelves.get(key);
    shelf?.delete(uid);
    if (shelf?.size === 0) this.#shelves.delete(key);
  }
}

export function isPod(object: Owned): object is StoredPod {
  return object.kind === 'Pod';
}

export function isService(object: Owned): object is StoredService {
  return object.kind === 'Service';
}
