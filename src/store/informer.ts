import type { StoredMeta, WatchEvent } from '../api/index.ts';
import type { Resource, Scope, Storable, Store } from './base/store.ts';

type Followed = Storable & { readonly metadata: StoredMeta };

/** A change of an object that an Informer follows. */
export interface InformerChange<T> extends WatchEvent<T> {
  /** The object before. Undefined: it is new. */
  readonly before: T | undefined;
}

/**
 * The objects of a resource, as the store last reported them: it lists them, and follows their changes. Writes of this
 * process are here when their call returns. A state that is known already, or older, is no change; an object that was
 * deleted and made again is reported as both.
 */
export class Informer<T extends Followed> {
  /** By `NAMESPACE/NAME`. */
  readonly #objects = new Map<string, T>();
  readonly #subscription: { close(): void };
  readonly #onChange: (change: InformerChange<T>) => void;

  /**
   * @param shape makes what is kept of a stored object. Default: the object itself
   * @param onChange called for each change from now on, within the call that makes it, not for the objects that exist
   */
  constructor(
    { store, resource, scope = {} }: { readonly store: Store; readonly resource: Resource; readonly scope?: Scope },
    onChange: (change: InformerChange<T>) => void,
    shape: (stored: T) => T = (stored) => stored,
  ) {
    this.#onChange = onChange;
    this.#subscription = store.watch<T>(resource, scope, ({ type, object }) => this.#take(type, shape(object)));
    for (const stored of store.list<T>(resource, scope)) this.#put(shape(stored));
  }

  /** True for an object in its latest state. */
  has(object: T): boolean {
    return this.#objects.get(nameOf(object)) === object;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  get all(): T[] {
    return [...this.#objects.values()];
  }

  /** Each `NAMESPACE/NAME`. */
  get keys(): Iterable<string> {
    return this.#objects.keys();
  }

  close(): void {
    this.#subscription.close();
  }

  #put(object: T): void {
    this.#objects.set(nameOf(object), object);
  }

  #take(type: WatchEvent['type'], object: T): void {
    const before = this.#objects.get(nameOf(object));
    if (before === undefined) {
      if (type !== 'DELETED') this.#tell({ type: 'ADDED', object, before });
    } else if (before.metadata.uid !== object.metadata.uid) {
      // Its own deletion was reported when the new one came.
      if (type === 'DELETED') return;
      this.#tell({ type: 'DELETED', object: before, before });
      this.#tell({ type: 'ADDED', object, before: undefined });
    } else if (
      type === 'DELETED' ||
      Number(object.metadata.resourceVersion) > Number(before.metadata.resourceVersion)
    ) {
      this.#tell({ type: type === 'DELETED' ? type : 'MODIFIED', object, before });
    }
  }

  #tell(change: InformerChange<T>): void {
    if (change.type === 'DELETED') this.#objects.delete(nameOf(change.object));
    else this.#put(change.object);
    this.#onChange(change);
  }
}

/** The name of an object that belongs to no namespace begins with a slash. */
function nameOf({ metadata: { namespace, name } }: Followed): string {
  return `${namespace ?? ''}/${name}`;
}
