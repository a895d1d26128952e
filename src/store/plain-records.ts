import { unlinkSync } from 'node:fs';
import path from 'node:path';
import { inFolder, readJson, writeFileAtomically } from './atomic-file.ts';
import { objectPath } from './layout.ts';
import { keysIn } from './listing.ts';
import { changedMetadata, checkUid, keyOf, newMetadata, type StoredObject } from './metadata.ts';
import type { StorageParts } from './storage.ts';
import type { Resource, Scope, Storable } from './store.ts';
import { alreadyExists, notFound } from './store-errors.ts';

/** Objects of every kind but Pods: a file of JSON each, which only its user can read. */
export class PlainRecords {
  readonly #parts: StorageParts;

  constructor(parts: StorageParts) {
    this.#parts = parts;
  }

  get(resource: Resource, namespace: string, name: string): StoredObject | undefined {
    return readJson<StoredObject>(objectPath(this.#parts.root, resource, namespace, name));
  }

  list(resource: Resource, scope: Scope): StoredObject[] {
    const keys = keysIn(this.#parts.root, resource, scope);
    return keys.flatMap(({ namespace, name }) => this.get(resource, namespace, name) ?? []);
  }

  create(resource: Resource, object: Storable): StoredObject {
    return this.#locked(resource, object, (file, stored) => {
      const { clock, versions } = this.#parts;
      const created = { ...object, metadata: newMetadata(object.metadata, clock, versions) };
      if (stored !== undefined) throw alreadyExists(resource, created.metadata.name);
      inFolder(path.dirname(file), () => writeFileAtomically(file, recordText(created)));
      return created;
    });
  }

  update(resource: Resource, object: Storable): StoredObject {
    return this.#change(resource, object, (stored) => {
      const metadata = changedMetadata(resource, object.metadata, stored.metadata, this.#parts.versions);
      return { ...object, metadata, ...('status' in stored && { status: stored.status }) };
    });
  }

  updateStatus(resource: Resource, object: Storable): StoredObject {
    return this.#change(resource, object, (stored) => {
      checkUid(resource, object.metadata, stored.metadata);
      const resourceVersion = this.#parts.versions.next(stored.metadata.resourceVersion);
      return { ...stored, metadata: { ...stored.metadata, resourceVersion }, status: (object as StoredObject).status };
    });
  }

  delete(resource: Resource, namespace: string, name: string): StoredObject | undefined {
    return this.#locked(resource, { metadata: { namespace, name } }, (file, stored) => {
      if (stored === undefined) return undefined;
      unlinkSync(file);
      const resourceVersion = this.#parts.versions.next(stored.metadata.resourceVersion);
      return { ...stored, metadata: { ...stored.metadata, resourceVersion } };
    });
  }

  #change(resource: Resource, object: Storable, change: (stored: StoredObject) => StoredObject): StoredObject {
    return this.#locked(resource, object, (file, stored) => {
      if (stored === undefined) throw notFound(resource, keyOf(object).name);
      const changed = change(stored);
      writeFileAtomically(file, recordText(changed));
      return changed;
    });
  }

  #locked<T>(resource: Resource, object: Storable, run: (file: string, stored: StoredObject | undefined) => T): T {
    const { namespace, name } = keyOf(object);
    const file = objectPath(this.#parts.root, resource, namespace, name);
    return this.#parts.locks.hold(resource, namespace, name, () => run(file, readJson<StoredObject>(file)));
  }
}

function recordText(object: StoredObject): string {
  return `${JSON.stringify(object, undefined, 2)}\n`;
}
