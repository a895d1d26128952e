import type { StoredMeta, WatchEvent } from '../api/index.ts';
import type { Resource, Scope, Storable, Store } from './base/store.ts';
import { KeptObject } from './feed/kept-object.ts';

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
  readonly #objects = new Map<string, KeptObject<T>>();
  readonly #subscription: { close(): void };
  readonly #onChange: (change: InformerChange<T>) => void;

  readonly #keyOf: (object: T) => string;

  /**
   * @param keyOf returns the key of an object. Default: `NAMESPACE/NAME`
   * @param onChange called for each change from now on, within the call that makes it, not for the objects that exist
   */
  constructor(
    { store, resource, scope = {} }: { readonly store: Store; readonly resource: Resource; readonly scope?: Scope },
    onChange: (change: InformerChange<T>) => void,
    keyOf: (object: T) => string = nameOf,
  ) {
    this.#keyOf = keyOf;
    this.#onChange = onChange;
    let hasBegun = false;
    const take = ({ type, object }: WatchEvent<T>): void => {
      if (hasBegun) this.#take(type, object);
      else if (type !== 'DELETED') this.#put(object);
    };
    this.#subscription = store.watch<T>(resource, scope, take, { replay: true });
    hasBegun = true;
  }

  /** True for an object in its latest state. */
  has(object: T): boolean {
    const kept = this.#objects.get(this.#keyOf(object));
    const { uid, resourceVersion } = object.metadata;
    return kept?.uid === uid && kept.resourceVersion === resourceVersion;
  }

  get(key: string): T | undefined {
    const kept = this.#objects.get(key);
    return kept?.whole ?? kept?.object;
  }

  get all(): T[] {
    return [...this.#objects.values()].map(({ object }) => object);
  }

  /** Each object, whole or packed, by `NAMESPACE/NAME`. */
  get kept(): ReadonlyMap<string, KeptObject<T>> {
    return this.#objects;
  }

  close(): void {
    this.#subscription.close();
  }

  #put(object: T): void {
    this.#objects.set(this.#keyOf(object), KeptObject.of(object));
  }

  #take(type: WatchEvent['type'], object: T): void {
    const kept = this.#objects.get(this.#keyOf(object));
    if (kept === undefined) {
      if (type !== 'DELETED') this.#tell({ type: 'ADDED', object, before: undefined });
    } else if (kept.uid !== object.metadata.uid) {
      // Its own deletion was reported when the new one came.
      if (type === 'DELETED') return;
      const before = kept.object;
      this.#tell({ type: 'DELETED', object: before, before });
      this.#tell({ type: 'ADDED', object, before: undefined });
    } else if (type === 'DELETED' || Number(object.metadata.resourceVersion) > Number(kept.resourceVersion)) {
      this.#tell({ type: type === 'DELETED' ? type : 'MODIFIED', object, before: kept.whole ?? kept.object });
    }
  }

  #tell(change: InformerChange<T>): void {
    const key = this.#keyOf(change.object);
    this.#objects.get(key)?.release();
    if (change.type === 'DELETED') this.#objects.delete(key);
    else this.#put(change.object);
    this.#onChange(change);
  }
}

/** The name of an object that belongs to no namespace begins with a slash. */
function nameOf({ metadata: { namespace, name } }: Followed): string {
  return `${namespace ?? ''}/${name}`;
}
