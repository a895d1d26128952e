import type { ObjectMeta } from '../api/generated/types.ts';
import type { KubeObject, WatchEvent } from '../api/objects.ts';

/** Plural name of a kind, as in kubectl: `pods`, `events`, `configmaps`, `secrets`, … */
export type Resource = string;

/** What every object has that can be stored; the generated interfaces of all kinds fit. */
export interface Storable {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: ObjectMeta;
}

/** Which objects: all of a resource, those of a namespace, or one. */
export interface Scope {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

export interface Subscription {
  close(): void;
}

/**
 * What podrun knows, as Kubernetes objects: podrun's API server. All calls are synchronous, so that what is written is
 * visible, and logged, in the order in which it was written. Nothing above the store knows that it is files.
 *
 * One writer per fact: clients write metadata and spec (`create`, `update`, `delete`), the owning agent writes status
 * (`updateStatus`). The two never overwrite each other.
 */
export interface Store {
  get<T extends Storable = KubeObject>(resource: Resource, namespace: string, name: string): T | undefined;
  /** Sorted by namespace, then name. */
  list<T extends Storable = KubeObject>(resource: Resource, scope?: Scope): T[];
  /**
   * Stores a new object: sets uid, resourceVersion, creationTimestamp and generation 1 where missing, and answers it.
   * @throws {PodrunError} when there is one of that name (`pods "x" already exists`)
   */
  create<T extends Storable>(resource: Resource, object: T): T;
  /**
   * Replaces everything but the status.
   * @throws {PodrunError} when it is missing, or when `metadata.resourceVersion` is set and no longer the stored one
   */
  update<T extends Storable>(resource: Resource, object: T): T;
  /** Replaces the status alone. Every call is a line of the transition log, in order. */
  updateStatus<T extends Storable>(resource: Resource, object: T): T;
  /** Removes the object, and for a Pod its logs and volumes; answers the last state, undefined when there was none. */
  delete(resource: Resource, namespace: string, name: string): KubeObject | undefined;
  /**
   * Follows changes, those of this process at once (within the call that makes them), those of others as soon as the
   * file system tells. With `replay`, what exists comes first, as ADDED. Nothing is coalesced for Pods and Events:
   * every line of a transition log arrives, once, in order.
   */
  watch<T extends Storable = KubeObject>(
    resource: Resource,
    scope: Scope,
    listener: (event: WatchEvent<T>) => void,
    options?: { readonly replay?: boolean },
  ): Subscription;
}
