import { isStoredObject, parseStored } from '../disk/stored-json.ts';
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

/** The number of files of which the text is kept, and its most characters. */
const KEPT_MAX = 8;
const KEPT_LENGTH_MAX = 64 * 1024;

/**
 * Objects of every kind but Pods: a file of JSON each, which only its user can read. The modification time of the file
 * is the resource version of the object: one look tells whether the object has changed.
 */
export class PlainRecords {
  readonly #parts: StorageParts;
  /** By file: what this process wrote last. A controller changes the same few objects again and again. */
  readonly #kept = new Map<string, { readonly version: string; readonly text: string }>();

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
      inFolder(path.dirname(file), () => this.#write(file, created));
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
      inFolder(path.dirname(file), () => this.#write(file, put));
      return put;
    });
  }

  /** Stores an object unchanged that this store had in another place. No other process may write it meanwhile. */
  keep(resource: Resource, object: StoredObject): void {
    const { namespace, name } = keyOf(object);
    const file = objectPath(this.#parts.root, resource, namespace, name);
    inFolder(path.dirname(file), () => this.#write(file, object));
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
      if (changed !== stored) this.#write(file, changed);
      return changed;
    });
  }

  #locked<T>(resource: Resource, key: ObjectKey, run: (file: string, stored: StoredObject | undefined) => T): T {
    const file = objectPath(this.#parts.root, resource, key.namespace, key.name);
    return this.#parts.locks.hold(resource, key, () => run(file, this.#read(resource, key, file)));
  }

  /**
   * The object in a file. One look tells whether the file exists and whether it has changed: opening a missing one is
   * much slower, and what this process wrote last is not read again.
   */
  #read(resource: Resource, key: ObjectKey, file: string): StoredObject | undefined {
    const version = this.versionOf(resource, key);
    if (version === undefined) return undefined;
    const kept = this.#kept.get(file);
    if (kept?.version !== version) return readRecord(resource, file);
    const stored = parseStored<StoredObject>(kept.text);
    return stored && asShown(resource, stored);
  }

  #write(file: string, object: StoredObject): void {
    const version = object.metadata.resourceVersion;
    const text = `${JSON.stringify(object, undefined, 2)}\n`;
    writeFileAtomically(file, text, Number(version));
    this.#kept.delete(file);
    if (text.length <= KEPT_LENGTH_MAX) this.#kept.set(file, { version, text });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }
}

function readRecord(resource: Resource, file: string): StoredObject | undefined {
  const stored = readJsonFile<StoredObject>(file, isStoredObject);
  return stored && asShown(resource, stored);
}
