import {
  asShown,
  changedMetadata,
  checkPrecondition,
  checkUid,
  isSamePart,
  keyOf,
  newMetadata,
  type StoredObject,
} from '../base/metadata.ts';
import type { StorageParts } from './storage.ts';
import type { ObjectKey, ObjectPart, Resource, Scope, Storable } from '../base/store.ts';
import { alreadyExists, notInStore } from '../base/store-errors.ts';

/** Objects of every kind but Pods, in their place. */
export class PlainRecords {
  readonly #parts: StorageParts;

  constructor(parts: StorageParts) {
    this.#parts = parts;
  }

  get(resource: Resource, namespace: string, name: string): StoredObject | undefined {
    const stored = this.#parts.records.read(resource, { namespace, name });
    return stored && asShown(resource, stored);
  }

  list(resource: Resource, scope: Scope): StoredObject[] {
    const keys = this.#parts.records.keysIn(resource, scope);
    return keys.flatMap(({ namespace, name }) => this.get(resource, namespace, name) ?? []);
  }

  create(resource: Resource, object: Storable): StoredObject {
    return this.#locked(resource, keyOf(object), (stored) => {
      const created = this.#withNewMetadata(resource, object);
      if (stored !== undefined) throw alreadyExists(resource, created.metadata.name);
      this.#parts.records.write(resource, created);
      return created;
    });
  }

  /** Stores the first objects of a resource, all of one namespace: where some are already, none is made. */
  createFirst(resource: Resource, namespace: string, make: () => readonly Storable[]): void {
    const { records } = this.#parts;
    if (records.keysIn(resource, { namespace }).length > 0) return;
    const created = make().map((object) => this.#withNewMetadata(resource, object));
    records.fill(resource, namespace, created);
  }

  update(resource: Resource, object: Storable): StoredObject {
    return this.#replace(resource, keyOf(object), (stored) => this.#withObject(resource, stored, object));
  }

  updateStatus(resource: Resource, object: Storable): StoredObject {
    return this.#replace(resource, keyOf(object), (stored) => this.#withStatus(resource, stored, object));
  }

  change(
    resource: Resource,
    key: ObjectKey,
    part: ObjectPart,
    change: (stored: StoredObject) => StoredObject,
  ): StoredObject {
    return this.#replace(resource, key, (stored) => {
      const changed = change(stored);
      checkPrecondition(resource, changed.metadata, stored.metadata);
      if (isSamePart(part, changed, stored)) return stored;
      if (part === 'status') return this.#withStatus(resource, stored, changed);
      const whole = this.#withObject(resource, stored, changed);
      return part === 'both' ? { ...whole, status: changed.status } : whole;
    });
  }

  /** Stores an object whole, whether there is one of its name or not. */
  put(resource: Resource, object: Storable): StoredObject {
    return this.#locked(resource, keyOf(object), () => {
      const put = this.#withNewMetadata(resource, object);
      this.#parts.records.write(resource, put);
      return put;
    });
  }

  /** Stores an object unchanged that this store had in another place. No other process may write it meanwhile. */
  keep(resource: Resource, object: StoredObject): void {
    this.#parts.records.write(resource, object);
  }

  delete(resource: Resource, namespace: string, name: string): StoredObject | undefined {
    const key = { namespace, name };
    return this.#locked(resource, key, (stored) => {
      if (stored === undefined) return undefined;
      this.#parts.records.remove(resource, key);
      const resourceVersion = this.#parts.versions.next(stored.metadata.resourceVersion);
      return { ...stored, metadata: { ...stored.metadata, resourceVersion } };
    });
  }

  #withNewMetadata(resource: Resource, object: Storable): StoredObject {
    const { clock, versions } = this.#parts;
    return asShown(resource, { ...object, metadata: newMetadata(object.metadata, clock, versions) });
  }

  #withObject(resource: Resource, stored: StoredObject, given: Storable): StoredObject {
    const metadata = changedMetadata(resource, given.metadata, stored.metadata, this.#parts.versions);
    return { ...given, metadata, ...('status' in stored && { status: stored.status }) };
  }

  #withStatus(resource: Resource, stored: StoredObject, given: Storable): StoredObject {
    checkUid(resource, given.metadata, stored.metadata);
    const resourceVersion = this.#parts.versions.next(stored.metadata.resourceVersion);
    return { ...stored, metadata: { ...stored.metadata, resourceVersion }, status: (given as StoredObject).status };
  }

  /** Stores the changed object. Writes nothing when `change` returns the stored object itself. */
  #replace(resource: Resource, key: ObjectKey, change: (stored: StoredObject) => StoredObject): StoredObject {
    return this.#locked(resource, key, (stored) => {
      if (stored === undefined) throw notInStore(resource, key.name);
      const changed = change(stored);
      if (changed !== stored) this.#parts.records.write(resource, changed);
      return changed;
    });
  }

  #locked<T>(resource: Resource, key: ObjectKey, step: (stored: StoredObject | undefined) => T): T {
    return this.#parts.records.locked(resource, key, (stored) => step(stored && asShown(resource, stored)));
  }
}
