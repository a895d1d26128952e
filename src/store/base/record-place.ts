import type { StoredObject } from './metadata.ts';
import type { ObjectKey, Resource, Scope } from './store.ts';

/** The place of all objects but Pods: files, or the memory of this process. */
export interface RecordPlace {
  /** The object as it was written. Undefined when there is none, or its file is broken. */
  read(resource: Resource, key: ObjectKey): StoredObject | undefined;
  /**
   * The resource version of an object, found without reading it. Undefined when there is none, another text for a file
   * that podrun did not write.
   */
  versionOf(resource: Resource, key: ObjectKey): string | undefined;
  /** The keys in a scope, by namespace, then name. A name in the scope counts even if no such object is stored. */
  keysIn(resource: Resource, scope: Scope): ObjectKey[];
  /**
   * Runs a step with the present object while no other process writes it. The step must not change the object. Must not
   * be nested for one object.
   */
  locked<T>(resource: Resource, key: ObjectKey, step: (stored: StoredObject | undefined) => T): T;
  write(resource: Resource, object: StoredObject): void;
  /** An object that this process has just written, as readers get it. It must not be changed. */
  written(resource: Resource, object: StoredObject): WrittenRecord;
  /**
   * Puts the first objects of a namespace into place in one step. False: there are some already, and nothing was done.
   */
  fill(resource: Resource, namespace: string, objects: readonly StoredObject[]): boolean;
  /** Removes a stored object. */
  remove(resource: Resource, key: ObjectKey): void;
  /** Calls back for each object that may have changed, also by this process. */
  follow(resource: Resource, onEntry: (key: ObjectKey) => void): PlaceWatch;
}

/** Follows the objects of one resource. */
export interface PlaceWatch {
  /** Begins to watch one namespace, or all. */
  add(namespace: string | undefined): void;
  /** Calls back for all objects of the namespaces that may have changed unnoticed. Returns these. */
  rescan(onEntry: (key: ObjectKey) => void): readonly string[];
  /** Lets the next rescan look at everything: an object could not be read. */
  unsettle(): void;
  close(): void;
}

/** An object as readers get it. */
export interface WrittenRecord {
  readonly object: StoredObject;
  /** The characters of its text. */
  readonly length: number;
}

/** @param text of JSON */
export function writtenRecord(text: string): WrittenRecord {
  return { object: JSON.parse(text) as StoredObject, length: text.length };
}
