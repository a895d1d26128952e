import type { ObjectMeta } from '../api/generated/types.ts';
import type { KubeObject, StoredPod, WatchEvent } from '../api/objects.ts';

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
  /** Of Events: those about the Pod of that name are enough. Which others come along is not said. */
  readonly aboutPod?: string | undefined;
}

/** Which object of a resource. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** What is written apart: the status, and everything else. */
export type ObjectPart = 'object' | 'status';

/** What can be asked of a store, and of objects that somebody saved. */
export type ObjectReader = Pick<Store, 'get' | 'list'>;

export interface Subscription {
  close(): void;
}

/**
 * What podrun knows, as Kubernetes objects: podrun's API server. All calls are synchronous, so that what is written is
 * visible, and logged, in the order in which it was written. Nothing above the store knows that it is files.
 *
 * Two parts are written apart, so that neither overwrites the other: metadata and spec, which clients write (`create`,
 * `update`, `delete`), and the status. That is the owning agent's, but for conditions that are not kubelet's, which
 * belong to whoever sets them. So whoever writes a status merges it into the one that is stored (`change`).
 */
export interface Store {
  get<T extends Storable = KubeObject>(resource: Resource, namespace: string, name: string): T | undefined;
  /** Sorted by namespace, then name. */
  list<T extends Storable = KubeObject>(resource: Resource, scope?: Scope): T[];
  /**
   * Stores a new object: sets uid, resourceVersion, creationTimestamp and a Pod's generation 1 where missing.
   * @throws {PodrunError} when there is one of that name (`pods "x" already exists`)
   */
  create<T extends Storable>(resource: Resource, object: T): T;
  /** The same of several, in this order: written, and told of, at once where that is possible. */
  createAll<T extends Storable>(resource: Resource, objects: readonly T[]): T[];
  /**
   * Replaces everything but the status.
   * @throws {PodrunError} when it is missing, or when `metadata.resourceVersion` is set and no longer the stored one
   */
  update<T extends Storable>(resource: Resource, object: T): T;
  /** Replaces the status alone. Every call is a line of the transition log, in order. */
  updateStatus<T extends Storable>(resource: Resource, object: T): T;
  /**
   * Changes one part of an object in one step: nobody else writes between what `change` gets and what it answers. It
   * gets the object as it is stored, which is not how readers see a Pod whose owner is gone, and must leave it as it
   * is. An answer that is the same in that part writes nothing.
   * @throws {PodrunError} when the object is missing; {ConflictError} when the answer has another uid than the stored
   *   object or another, not empty, resourceVersion; and what `change` throws
   */
  change<T extends Storable = KubeObject>(
    resource: Resource,
    key: ObjectKey,
    part: ObjectPart,
    change: (stored: T) => T,
  ): T;
  /**
   * Gives a Pod its node, like the sub-resource `binding`: changes object and status in one step, of which readers get
   * one line.
   * @throws {PodrunError} when the Pod is missing; {ConflictError} when the answer has another uid
   */
  bind(key: ObjectKey, bind: (stored: StoredPod) => StoredPod): StoredPod;
  /**
   * Gives up the room that a Pod keeps for its end, when the disk is full and its end is to be written. False when it
   * has none, or none any more.
   */
  spendReserve(key: ObjectKey): boolean;
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
