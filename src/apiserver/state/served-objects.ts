import { DEFAULT_NAMESPACE, type StoredKubeObject } from '../../api/index.ts';
import { type FileStore, Informer, type InformerChange, type Subscription } from '../../store/index.ts';
import { ChangeWindow, type StoredChange } from './change-window.ts';
import { type Dependent, OwnerIndex } from './owner-index.ts';
import { inWholeSeconds } from './time-fields.ts';

/** The objects of one resource. */
interface Shelf {
  readonly objects: Informer<StoredKubeObject>;
  /** The keys in their order. Undefined: an object has come or gone since. */
  order: readonly string[] | undefined;
  readonly window: ChangeWindow;
  readonly listeners: Set<(change: StoredChange) => void>;
}

/** Makes the object that clients see of a stored one: the node has more fields than its record. */
export type ObjectShape = (stored: StoredKubeObject) => StoredKubeObject;

/** How a resource is kept. */
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
    const servedForm = (object: StoredKubeObject): StoredKubeObject =>
      inWholeSeconds(shape(isNamespaced ? object : withoutNamespace(object)));
    const from = { store: this.#store, resource };
    const objects = new Informer<StoredKubeObject>(from, (change) => this.#take(resource, change), servedForm);
    for (const object of objects.all) {
      this.#owners.add(resource, object);
      this.#version = Math.max(this.#version, Number(object.metadata.resourceVersion) || 0);
    }
    this.#store.nextVersion(this.#version);
    const window = new ChangeWindow(this.#version);
    this.#shelves.set(resource, { objects, order: undefined, window, listeners: new Set() });
  }

  /** Forgets a resource: its kind is no longer served. */
  drop(resource: string): void {
    const shelf = this.#shelves.get(resource);
    shelf?.objects.close();
    for (const object of shelf?.objects.all ?? []) this.#owners.remove(object);
    this.#shelves.delete(resource);
  }

  get(resource: string, namespace: string | undefined, name: string): StoredKubeObject | undefined {
    return this.#shelves.get(resource)?.objects.get(`${namespace ?? ''}/${name}`);
  }

  /** The objects of all resources that name an owner of this uid. */
  dependentsOf(uid: string): readonly Dependent[] {
    return this.#owners.of(uid);
  }

  /** The objects of a namespace, or of all, in the order of their namespaces and names. */
  list(resource: string, namespace?: string): readonly StoredKubeObject[] {
    const shelf = this.#shelves.get(resource);
    if (shelf === undefined) return [];
    shelf.order ??= [...shelf.objects.keys].toSorted();
    const isInside = (key: string): boolean => namespace === undefined || key.startsWith(`${namespace}/`);
    return shelf.order.flatMap((key) => (isInside(key) ? (shelf.objects.get(key) ?? []) : []));
  }

  /**
   * The objects as they were at a version, in the same order.
   * @returns undefined when that is too long ago
   */
  listAt(resource: string, namespace: string | undefined, version: number): readonly StoredKubeObject[] | undefined {
    const shelf = this.#shelves.get(resource);
    const later = version < this.#compacted ? undefined : shelf?.window.after(version);
    if (shelf === undefined || later === undefined) return undefined;
    if (later.length === 0) return this.list(resource, namespace);
    const objects = new Map(shelf.objects.all.map((object) => [keyOf(object), object]));
    for (const { object, before } of later.toReversed()) {
      if (before === undefined) objects.delete(keyOf(object));
      else objects.set(keyOf(before), before);
    }
    const present = [...objects].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, object]) => object);
    return present.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
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

  #take(resource: string, { type, object, before }: InformerChange<StoredKubeObject>): void {
    const shelf = this.#shelves.get(resource);
    if (shelf === undefined) return;
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

function keyOf({ metadata: { namespace, name } }: StoredKubeObject): string {
  return `${namespace ?? ''}/${name}`;
}

/** The store keeps objects that belong to no namespace beside the objects of `default`. */
function withoutNamespace(object: StoredKubeObject): StoredKubeObject {
  if (object.metadata.namespace !== DEFAULT_NAMESPACE) return object;
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata: metadata as StoredKubeObject['metadata'] };
}
