import {
  DEFAULT_NAMESPACE,
  formatTime,
  isClusterScoped,
  isSameJson,
  type ObjectMeta,
  type StoredEvent,
  type StoredMeta,
} from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { VersionSource } from './resource-version.ts';
import type { ObjectKey, ObjectPart, Resource, Storable } from './store.ts';
import { conflict, otherUid } from './store-errors.ts';
import { newUid } from './unique-id.ts';

/** An object in the store. */
export type StoredObject = Storable & { metadata: StoredMeta; status?: unknown };

/**
 * The key of an object. As in the API, an empty text counts as missing, here and below. An object that belongs to no
 * namespace is kept beside the objects of the namespace `default`.
 */
export function keyOf(object: Storable): ObjectKey {
  return { namespace: object.metadata.namespace || DEFAULT_NAMESPACE, name: object.metadata.name ?? '' };
}

/** The object as readers see it. Older versions of podrun stored a namespace for objects that belong to none. */
export function asShown<T extends StoredObject>(resource: Resource, object: T): T {
  if (!isClusterScoped(resource) || object.metadata.namespace === undefined) return object;
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Metadata of a new object, with the fields that the API server fills in and the first resource version. */
export function newMetadata(metadata: ObjectMeta, clock: Clock, versions: VersionSource): StoredMeta {
  return {
    ...metadata,
    ...keyOf({ metadata }),
    uid: metadata.uid || newUid(),
    resourceVersion: versions.next(),
    creationTimestamp: metadata.creationTimestamp || formatTime(clock.now().wallMs),
  };
}

/**
 * Metadata of an object that replaces a stored one. Name, namespace, uid and creation time stay as they are stored.
 * @throws {PodrunError} (Conflict) when the change was made to an older version, or to another object of that name
 */
export function changedMetadata(
  resource: Resource,
  given: ObjectMeta,
  stored: StoredMeta,
  versions: VersionSource,
): StoredMeta {
  checkPrecondition(resource, given, stored);
  const { name, namespace, uid, creationTimestamp } = stored;
  const resourceVersion = versions.next(stored.resourceVersion);
  // An object that belongs to no namespace has none.
  const own = { name, uid, creationTimestamp, resourceVersion };
  return { ...given, ...(namespace && { namespace }), ...own } as StoredMeta;
}

/** @throws {PodrunError} (Conflict) when the change was made to an older version, or to another object of that name */
export function checkPrecondition(resource: Resource, given: ObjectMeta, stored: StoredMeta): void {
  checkUid(resource, given, stored);
  if (given.resourceVersion && given.resourceVersion !== stored.resourceVersion) throw conflict(resource, stored.name);
}

/** True when a change of one part changes nothing. The resource version does not count. */
export function isSamePart(part: ObjectPart, one: StoredObject, other: StoredObject): boolean {
  const isSameStatus = part === 'object' || isSameJson(one.status, other.status);
  return isSameStatus && (part === 'status' || isSameJson(written(one), written(other)));
}

/** The part that clients write, without the resource version. */
function written(object: StoredObject): unknown {
  return { ...object, metadata: { ...object.metadata, resourceVersion: '' }, status: undefined };
}

/** @throws {PodrunError} (Conflict) when another object has this name now */
export function checkUid(resource: Resource, given: ObjectMeta, stored: StoredMeta): void {
  if (!given.uid || given.uid === stored.uid) return;
  throw otherUid(resource, stored.name, { wanted: given.uid, stored: stored.uid });
}

/** The Pod that an Event is about. Undefined for an Event about anything else. */
export function podOf(object: Storable): ObjectKey | undefined {
  const { involvedObject } = object as Partial<StoredEvent>;
  if (involvedObject?.kind !== 'Pod' || !involvedObject.name) return undefined;
  return { namespace: involvedObject.namespace ?? keyOf(object).namespace, name: involvedObject.name };
}
