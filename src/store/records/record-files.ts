import { renameSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { statIfThere } from '../../quietly.ts';
import { inFolder, makeFolder, readJsonFile, writeFileAtomically, writePrivateFile } from '../disk/atomic-file.ts';
import type { FileLocks } from '../disk/file-lock.ts';
import { errorCode } from '../disk/disk-errors.ts';
import { keysIn } from '../disk/listing.ts';
import { isStoredObject } from '../disk/stored-json.ts';
import { FolderWatch } from '../feed/folder-watch.ts';
import { namespaceFolder, objectPath } from '../base/layout.ts';
import { keyOf, type StoredObject } from '../base/metadata.ts';
import type { ObjectKey, Resource, Scope } from '../base/store.ts';
import { type PlaceWatch, type RecordPlace, writtenRecord, type WrittenRecord } from '../base/record-place.ts';
import type { StagingArea } from './storage.ts';

/** The number of files of which the content is kept, and the most characters of each. */
const KEPT_MAX = 8;
const KEPT_LENGTH_MAX = 1024 * 1024;

/** The last content of a file that this process wrote. */
interface KeptRecord {
  readonly version: string;
  readonly text: string;
  /** The object in the text. Undefined: no reader has come. */
  record?: WrittenRecord;
}

/**
 * A file of JSON for each object, which only its user can read. The modification time of the file is the resource
 * version of the object: one look tells whether the object has changed.
 */
export class RecordFiles implements RecordPlace {
  readonly #root: string;
  readonly #locks: FileLocks;
  readonly #staging: StagingArea;
  /** By file. A controller changes the same few objects again and again. */
  readonly #kept = new Map<string, KeptRecord>();

  constructor(root: string, locks: FileLocks, staging: StagingArea) {
    this.#root = root;
    this.#locks = locks;
    this.#staging = staging;
  }

  read(resource: Resource, key: ObjectKey): StoredObject | undefined {
    return readJsonFile<StoredObject>(this.#fileOf(resource, key), isStoredObject);
  }

  versionOf(resource: Resource, key: ObjectKey): string | undefined {
    const stats = statIfThere(this.#fileOf(resource, key));
    return stats && String(Math.round(stats.mtimeMs * 1000));
  }

  keysIn(resource: Resource, scope: Scope): ObjectKey[] {
    return keysIn(this.#root, resource, scope);
  }

  locked<T>(resource: Resource, key: ObjectKey, step: (stored: StoredObject | undefined) => T): T {
    return this.#locks.hold(resource, key, () => step(this.#present(resource, key)));
  }

  write(resource: Resource, object: StoredObject): void {
    const file = this.#fileOf(resource, keyOf(object));
    const version = object.metadata.resourceVersion;
    const text = textOf(object);
    inFolder(path.dirname(file), () => writeFileAtomically(file, text, Number(version)));
    this.#kept.delete(file);
    if (text.length <= KEPT_LENGTH_MAX) this.#kept.set(file, { version, text });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** No lock: the system moves a folder to a place only where no folder, or an empty one, is. */
  fill(resource: Resource, namespace: string, objects: readonly StoredObject[]): boolean {
    const folder = namespaceFolder(this.#root, resource, namespace);
    const staged = this.#staging.newFolder();
    try {
      for (const object of objects)
        writePrivateFile(
          path.join(staged, path.basename(this.#fileOf(resource, keyOf(object)))),
          textOf(object),
          Number(object.metadata.resourceVersion),
        );
      makeFolder(path.dirname(folder));
      renameSync(staged, folder);
      return true;
    } catch (error) {
      this.#staging.discard(staged);
      if (errorCode(error) === 'ENOTEMPTY' || errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  written(resource: Resource, object: StoredObject): WrittenRecord {
    return (
      this.#keptAs(this.#fileOf(resource, keyOf(object)), object.metadata.resourceVersion) ??
      writtenRecord(textOf(object))
    );
  }

  remove(resource: Resource, key: ObjectKey): void {
    unlinkSync(this.#fileOf(resource, key));
  }

  follow(resource: Resource, onEntry: (key: ObjectKey) => void): PlaceWatch {
    return new FolderWatch(this.#root, resource, onEntry);
  }

  /**
   * The object in a file. One look tells whether the file exists and whether it has changed: opening a missing one is
   * much slower, and what this process wrote last is not read again.
   */
  #present(resource: Resource, key: ObjectKey): StoredObject | undefined {
    const version = this.versionOf(resource, key);
    if (version === undefined) return undefined;
    return this.#keptAs(this.#fileOf(resource, key), version)?.object ?? this.read(resource, key);
  }

  #keptAs(file: string, version: string): WrittenRecord | undefined {
    const kept = this.#kept.get(file);
    return kept?.version === version ? (kept.record ??= writtenRecord(kept.text)) : undefined;
  }

  #fileOf(resource: Resource, { namespace, name }: ObjectKey): string {
    return objectPath(this.#root, resource, namespace, name);
  }
}

function textOf(object: StoredObject): string {
  return `${JSON.stringify(object)}\n`;
}
