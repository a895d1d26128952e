import { removesLastFinalizer, type StoredKubeObject } from '../../api/index.ts';
import type { ObjectKey, Resource, Store } from '../../store/index.ts';

/** A change of a stored object. */
interface KeptChange {
  readonly store: Store;
  readonly resource: Resource;
  readonly key: ObjectKey;
  /**
   * True: the change may be of the status. It is for a write of that subresource, which may change labels, too, and for
   * an object whose definition has no such subresource.
   */
  readonly hasStatus: boolean;
  /** Computes the new object from the stored one. May be called again. */
  readonly edit: (stored: StoredKubeObject) => StoredKubeObject;
}

/** An object after its change. */
interface WrittenChange {
  readonly object: StoredKubeObject;
  /** True for a deleted object that lost its last finalizer: it is no longer stored. */
  readonly isGone: boolean;
}

/**
 * Stores a change in one step, so that no other change is lost. Without its last finalizer, a deleted object goes.
 */
export function keepChange({ store, resource, key, hasStatus, edit }: KeptChange): WrittenChange {
  let last: StoredKubeObject | undefined;
  const changed = store.change<StoredKubeObject>(resource, key, hasStatus ? 'both' : 'object', (stored) => {
    const object = edit(stored);
    last = removesLastFinalizer(stored, object) ? object : undefined;
    // The object is deleted in its stored form: readers see no change before that.
    return last === undefined ? object : stored;
  });
  if (last === undefined) return { object: changed, isGone: false };
  store.delete(resource, key.namespace, key.name);
  return { object: last, isGone: true };
}
