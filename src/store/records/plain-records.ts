import { isStoredObject } from '../disk/stored-json.ts';
import { unlinkSync } from 'node:fs';
import path from 'node:path';
import { statIfThere } from '../../quietly.ts';
import { inFolder, readJsonFile, writeFileAtomically } from '../disk/atomic-file.ts';
import { objectPath } from '../base/layout.ts';
import { keysIn } from '../disk/listing.ts';
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

/**
 * Objects of every kind but Pods: a file of JSON each, which only its user can read. The modification time of the file
 * is the resource version of the object: one look tells whether the object has changed.
 */
export class PlainRecords {
  readonly #parts: StorageParts;

  constructor(parts: StorageParts) {
    this.#parts = parts;
  }

  get(resource: Resource, namespace: string, name: string): StoredObject | undefined {
    return readRecord(resource, objectPath(this.#parts.root, resource, namespace, name));
  }

  /** The resource version of an object, found without reading it. Another text for a file that podrun did not write. */
  versionOf(resource: Resource, { namespace, name }: ObjectKey): string | undefined {
    const file = objectPath(this.#parts.root, resource, namespace, name);
    const stats = statIfThere(file);
    return stats && String(Math.round(stats.mtimeMs * 1000));
  }

  list(resource: Resource, scope: Scope): StoredObject[] {
    const keys = keysIn(this.#parts.root, resource, scope);
    return keys.flatMap(({ namespace, name }) => this.get(resource, namespace, name) ?? []);
  }

  create(resource: Resource, object: Storable): StoredObject {
    return this.#locked(resource, keyOf(object), (file, stored) => {
      const { clock, versions } = this.#parts;
      const created = asShown(resource, { ...object, metadata: newMetadata(object.metadata, clock, versions) });
      if (stored !== undefined) throw alreadyExists(resource, created.metadata.name);
      inFolder(path.dirname(file), () => writeRecord(file, created));
      return created;
    });
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
    return this.#locked(resource, keyOf(object), (file) => {
      const { clock, versions } = this.#parts;
      const put = asShown(resource, { ...object, metadata: newMetadata(object.metadata, clock, versions) });
      inFolder(path.dirname(file), () => writeRecord(file, put));
      return put;
    });
  }

  delete(resource: Resource, namespace: string, name: string): StoredObject | undefined {
    return this.#locked(resource, { namespace, name }, (file, stored) => {
      if (stored === undefined) return undefined;
      unlinkSync(file);
      const resourceVersion = this.#parts.versions.next(stored.metadata.resourceVersion);
      return { ...stored, metadata: { ...stored.metadata, resourceVersion } };
    });
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
    return this.#locked(resource, key, (file, stored) => {
      if (stored === undefined) throw notInStore(resource, key.name);
      const changed = change(stored);
      if (changed !== stored) writeRecord(file, changed);
      return changed;
    });
  }

  #locked<T>(resource: Resource, key: ObjectKey, run: (file: string, stored: StoredObject | undefined) => T): T {
    const file = objectPath(this.#parts.root, resource, key.namespace, key.name);
    return this.#parts.locks.hold(resource, key, () => run(file, readRecord(resource, file)));
  }
}

function readRecord(resource: Resource, file: string): StoredObject | undefined {
  const stored = readJsonFile<StoredObject>(file, isStoredObject);
  return stored && asShown(resource, stored);
}

function writeRecord(file: string, object: StoredObject): void {
  const text = `${JSON.stringify(object, undefined, 2)}\n`;
  writeFileAtomically(file, text, Number(object.metadata.resourceVersion));
}
