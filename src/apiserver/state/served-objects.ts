import { DEFAULT_NAMESPACE, type StoredKubeObject, inWholeSeconds } from '../../api/index.ts';
import {
  type FileStore,
  Informer,
  type InformerChange,
  type KeptObject,
  type Subscription,
} from '../../store/index.ts';
import { ChangeWindow, type StoredChange } from './change-window.ts';
import { OwnerIndex } from './owner-index.ts';

/** The objects of one resource. */
interface Shelf {
  readonly objects: Informer<StoredKubeObject>;
  /** The object that clients see of a stored one. */
  readonly served: ObjectShape;
  /** The keys in their order. Undefined: an object has come or gone since. */
  order: readonly string[] | undefined;
  readonly window: ChangeWindow;
  readonly listeners: Set<(change: StoredChange) => void>;
}

/** Makes the object that clients see of a stored one: the node has more fields than its record. */
export type ObjectShape = (stored: StoredKubeObject) => StoredKubeObject;

/** An object of a list. */
export interface ListedObject {
  /** `NAMESPACE/NAME`. */
  readonly key: string;
  /** Reads it out of its text, when it is packed: see KeptObject. */
  readonly read: () => StoredKubeObject;
}

/** An object that names an owner. */
interface Dependent {
  /** The resource of the store that has the object. */
  readonly storage: string;
  readonly object: StoredKubeObject;
}

/** The options of a shelf: of all objects of a resource. */
interface ShelfOptions {
  readonly isNamespaced: boolean;
  readonly shape?: ObjectShape | undefined;
}

/**
 * All objects of the store in memory as clients see them, with their latest changes: the store has microseconds in
 * times that the API has in seconds. Own writes are here when their call returns, writes of other processes as soon as
 * the file system reports them.
 *
 * All changes are counted with one number: the resource version of the changed object, or a larger one when another
 * process has written it before a change that is already counted. So a watch from the version of a list misses nothing.
 */
export class ServedObjects {
  readonly #store: FileStore;
  readonly #shelves = new Map<string, Shelf>();
  readonly #owners = new OwnerIndex();
  #version: number;
  /** Refuses lists of an older version from now on. */ #compacted = 0;

  constructor(store: FileStore) {
    this.#store = store;
    // Earlier changes are unknown: a watch from an older version is refused.
    this.#version = store.nextVersion();
  }

  /** The number of the latest change. */
  get version(): number {
    return this.#version;
  }

  /** Begins to keep a resource. */
  keep(resource: string, { isNamespaced, shape = (object) => object }: ShelfOptions): void {
    if (this.#shelves.has(resource)) return;
    const served = remembered((object) => inWholeSeconds(shape(isNamespaced ? object : withoutNamespace(object))));
    const from = { store: this.#store, resource };
    const objects = new Informer<StoredKubeObject>(
      from,
      (change) => this.#take(resource, change),
      (object) => keyOf(isNamespaced ? object : withoutNamespace(object)),
    );
    for (const kept of objects.kept.values()) {
      this.#owners.add(resource, served(kept.object));
      this.#version = Math.max(this.#version, Number(kept.resourceVersion) || 0);
    }
    this.#store.nextVersion(this.#version);
    const window = new ChangeWindow(this.#version);
    this.#shelves.set(resource, { objects, served, order: undefined, window, listeners: new Set() });
  }

  /** Forgets a resource: its kind is no longer served. */
  drop(resource: string): void {
    const shelf = this.#shelves.get(resource);
    shelf?.objects.close();
    for (const { object } of shelf?.objects.kept.values() ?? []) this.#owners.remove(object);
    this.#shelves.delete(resource);
  }

  get(resource: string, namespace: string | undefined, name: string): StoredKubeObject | undefined {
    const shelf = this.#shelves.get(resource);
    const stored = shelf?.objects.get(`${namespace ?? ''}/${name}`);
    return stored && shelf?.served(stored);
  }

  /**
   * The objects of all resources that name an owner of this uid.
   * @param isWanted false: the objects of this resource are not wanted. An owner may have thousands of Pods
   */
  dependentsOf(uid: string, isWanted: (storage: string) => boolean): readonly Dependent[] {
    return this.#owners.of(uid).flatMap(({ storage, namespace, name }) => {
      const object = isWanted(storage) ? this.get(storage, namespace, name) : undefined;
      return object === undefined ? [] : [{ storage, object }];
    });
  }

  hasDependents(uid: string): boolean {
    return this.#owners.has(uid);
  }

  /** True when there is an object of the resource, in the namespace or in any. */
  hasSome(resource: string, namespace?: string): boolean {
    for (const key of this.#shelves.get(resource)?.objects.kept.keys() ?? []) if (isInside(namespace, key)) return true;
    return false;
  }

  /** The objects of a namespace, or of all, in the order of their namespaces and names. */
  list(resource: string, namespace?: string): readonly StoredKubeObject[] {
    const shelf = this.#shelves.get(resource);
    const objects: StoredKubeObject[] = [];
    if (shelf === undefined) return objects;
    for (const [, kept] of keptIn(shelf, namespace)) objects.push(shelf.served(kept.whole ?? kept.object));
    return objects;
  }

  /** The same, each read when it is wanted: there may be many. */
  listed(resource: string, namespace?: string): readonly ListedObject[] {
    const shelf = this.#shelves.get(resource);
    if (shelf === undefined) return [];
    return keptIn(shelf, namespace).map(([key, kept]) => ({ key, read: () => shelf.served(kept.object) }));
  }

  /**
   * The objects as they were at a version, in the same order.
   * @returns undefined when that is too long ago
   */
  listAt(resource: string, namespace: string | undefined, version: number): readonly ListedObject[] | undefined {
    const shelf = this.#shelves.get(resource);
    const newer = version < this.#compacted ? undefined : shelf?.window.after(version);
    if (shelf === undefined || newer === undefined) return undefined;
    const present = this.listed(resource, namespace);
    if (newer.length === 0) return present;
    const objects = new Map(present.map((listed) => [listed.key, listed]));
    for (const { object, before } of newer.toReversed()) {
      const key = keyOf(object);
      if (!isInside(namespace, key)) continue;
      if (before === undefined) objects.delete(key);
      else objects.set(key, { key, read: () => before });
    }
    return [...objects.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1));
  }

  /** Refuses lists of an older version from now on. */
  compact(version: number): void {
    this.#compacted = version;
  }

  /** Forgets most changes up to a version: a watch from before is refused. */
  forgetChanges(version: number): void {
    for (const { window } of this.#shelves.values()) window.dropUntil(version);
  }

  /** The changes of a resource after a version. Undefined when they are no longer known. */
  changesAfter(resource: string, version: number): readonly StoredChange[] | undefined {
    return this.#shelves.get(resource)?.window.after(version);
  }

  /** Calls back with each change of a resource from now on, within the call that makes it. */
  subscribe(resource: string, listener: (change: StoredChange) => void): Subscription {
    const shelf = this.#shelves.get(resource);
    shelf?.listeners.add(listener);
    return { close: () => void shelf?.listeners.delete(listener) };
  }

  close(): void {
    for (const resource of this.#shelves.keys()) this.drop(resource);
  }

  #take(resource: string, { type, ...stored }: InformerChange<StoredKubeObject>): void {
    const shelf = this.#shelves.get(resource);
    if (shelf === undefined) return;
    const object = shelf.served(stored.object);
    const before = stored.before && shelf.served(stored.before);
    const own = Number(object.metadata.resourceVersion) || 0;
    this.#version = own > this.#version ? own : this.#version + 1;
    if (before !== undefined) this.#owners.remove(before);
    if (type !== 'DELETED') this.#owners.add(resource, object);
    if (type !== 'MODIFIED') shelf.order = undefined;
    // A deletion has a version of its own, behind the last change.
    const reported = type === 'DELETED' ? withVersion(object, this.#version) : object;
    this.#tell(shelf, { type, object: reported, before, version: this.#version });
  }

  #tell(shelf: Shelf, change: StoredChange): void {
    shelf.window.add(change);
    for (const listener of shelf.listeners) listener(change);
  }
}

function withVersion(object: StoredKubeObject, version: number): StoredKubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}

/** The objects of a namespace, or of all, with their keys, in the order of these. */
function keptIn(shelf: Shelf, namespace: string | undefined): [string, KeptObject<StoredKubeObject>][] {
  const { kept } = shelf.objects;
  shelf.order ??= [...kept.keys()].toSorted();
  const prefix = namespace === undefined ? '' : `${namespace}/`;
  const inside: [string, KeptObject<StoredKubeObject>][] = [];
  for (const key of shelf.order) {
    const one = key.startsWith(prefix) ? kept.get(key) : undefined;
    if (one !== undefined) inside.push([key, one]);
  }
  return inside;
}

function isInside(namespace: string | undefined, key: string): boolean {
  return namespace === undefined || key.startsWith(`${namespace}/`);
}

/** The same shape, which returns the same object for the same one. */
function remembered(shape: ObjectShape): ObjectShape {
  const shapes = new WeakMap<StoredKubeObject, StoredKubeObject>();
  return (stored) => {
    const known = shapes.get(stored);
    if (known !== undefined) return known;
    const shaped = shape(stored);
    shapes.set(stored, shaped);
    return shaped;
  };
}

function keyOf({ metadata: { namespace, name } }: StoredKubeObject): string {
  return `${namespace ?? ''}/${name}`;
}

/** The store keeps objects that belong to no namespace beside the objects of `default`. */
function withoutNamespace(object: StoredKubeObject): StoredKubeObject {
  if (object.metadata.namespace !== DEFAULT_NAMESPACE) return object;
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata: metadata as StoredKubeObject['metadata'] };
}
