import type { KubeObject, ObjectMeta, StoredPod, WatchEvent } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';

/** Plural name of a kind, as in kubectl: `pods`, `events`, `configmaps`, `secrets`, … */
export type Resource = string;

/** The common part of all objects that can be stored. The generated interfaces of all kinds fit. */
export interface Storable {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata: ObjectMeta;
}

/** A selection of objects: all of a resource, all of a namespace, or one. */
export interface Scope {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /**
   * For Events: Events about the Pod with this name suffice, if only Events about Pods are wanted. More may be among
   * them.
   */
  readonly aboutPod?: string | undefined;
}

/** The key of one object of a resource. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The two parts of an object that are written separately: the status, and everything else. A client that writes a
 * status through the API may change labels with it: both.
 */
export type ObjectPart = 'object' | 'status' | 'both';

/** The reading part of a store. Saved files of objects offer it, too. */
export type ObjectReader = Pick<Store, 'get' | 'list' | 'root'>;

/** Handed to `change`, `bind` and `delete`, it names the writer: see `Store`. */
export interface Subscription {
  close(): void;
}

/**
 * The objects that podrun keeps, in the manner of Kubernetes' API server. All calls are synchronous, so that a change
 * is visible and logged in the order of the calls. Only this room knows that the store consists of files.
 *
 * Two parts are written separately, so that neither overwrites the other: metadata and spec, which clients write
 * (`create`, `update`, `delete`), and the status, which the owning agent writes. Other clients may set conditions that
 * are not the kubelet's. So every writer of a status merges it into the stored one (`change`).
 *
 * Every subscriber gets every change once, in the order in which they were stored. A writer that passes its own
 * subscription gets the result of a write, with all changes before it, only as the result of its call.
 */
export interface Store {
  /** The clock of the times that the store writes. */
  readonly clock: Clock;
  /** The state folder. Undefined: the store is in memory. */
  readonly root?: string;
  get<T extends Storable = KubeObject>(resource: Resource, namespace: string, name: string): T | undefined;
  /** Lists objects, sorted by namespace, then name. */
  list<T extends Storable = KubeObject>(resource: Resource, scope?: Scope): T[];
  /** The same objects for many readers in one turn of the event loop, which do not change them: see RecentReads. */
  readonly recent: ObjectReader;
  /**
   * Stores a new object. Sets uid, resourceVersion, creationTimestamp and a Pod's generation 1 where missing.
   * @throws {PodrunError} when an object with this name exists (`pods "x" already exists`)
   */
  create<T extends Storable>(resource: Resource, object: T): T;
  /** Stores several objects in order. Writes and reports them at once where possible. */
  createAll<T extends Storable>(resource: Resource, objects: readonly T[]): T[];
  /**
   * Replaces everything but the status.
   * @throws {PodrunError} when the object is missing, or `metadata.resourceVersion` is set and out of date
   */
  update<T extends Storable>(resource: Resource, object: T): T;
  /** Replaces only the status. Every call adds a line to the transition log. */
  updateStatus<T extends Storable>(resource: Resource, object: T): T;
  /**
   * Changes one part of an object in one step, under its lock. `change` gets the object as it is stored, also where
   * readers see another one (a Pod whose owner is gone). `change` must not modify its argument. A result with an equal
   * part writes nothing.
   * @throws {PodrunError} when the object is missing; {PodrunError} (Conflict) when the result has another uid, or a
   *   resourceVersion that is neither empty nor the stored one; and anything that `change` throws
   */
  change<T extends Storable = KubeObject>(
    resource: Resource,
    key: ObjectKey,
    part: ObjectPart,
    change: (stored: T) => T,
    writer?: Subscription,
  ): T;
  /**
   * Assigns a Pod to its node, like the subresource `binding`: changes object and status in one step, with one line in
   * the log.
   * @throws {PodrunError} when the Pod is missing; {PodrunError} (Conflict) when the result has another uid
   */
  bind(key: ObjectKey, bind: (stored: StoredPod) => StoredPod, writer?: Subscription): StoredPod;
  /**
   * Removes the file that reserves disk space for the end of a Pod. Called when the disk is full and the end has to be
   * written. Returns false when the Pod has no reserve left.
   */
  spendReserve(key: ObjectKey): boolean;
  /**
   * Removes the object; for a Pod its logs and volumes, for a PersistentVolume with the policy Delete the folder that
   * podrun has made for it. Returns its last state, or undefined if there was none.
   */
  delete(resource: Resource, namespace: string, name: string, writer?: Subscription): KubeObject | undefined;
  /**
   * A folder for the data of a claim: a new one, since a deleted claim of the name may have left its data, or that
   * which an older podrun has made for the claim.
   */
  claimFolder(key: ObjectKey, isOld: boolean): string;
  /**
   * Follows changes: changes of this process within the call that makes them, changes of other processes as soon as the
   * file system reports them. With `replay`, existing objects come first, as ADDED. Changes of Pods and Events are
   * never combined: every line of a transition log arrives once, in order.
   */
  watch<T extends Storable = KubeObject>(
    resource: Resource,
    scope: Scope,
    listener: (event: WatchEvent<T>) => void,
    options?: { readonly replay?: boolean },
  ): Subscription;
}
