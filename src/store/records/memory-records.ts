import { objectPath } from '../base/layout.ts';
import { keyOf, type StoredObject } from '../base/metadata.ts';
import type { ObjectKey, Resource, Scope } from '../base/store.ts';
import { type PlaceWatch, type RecordPlace, writtenRecord, type WrittenRecord } from '../base/record-place.ts';

/** An object as text: each reader gets one of its own. */
interface Record {
  readonly version: string;
  readonly text: string;
}

/** This process makes all changes, and reports them itself. */
const NO_OTHERS: PlaceWatch = {
  add: () => undefined,
  rescan: () => [],
  unsettle: () => undefined,
  close: () => undefined,
};

/** Objects in the memory of this process, for a state folder that no other process reads. They go with it. */
export class MemoryRecords implements RecordPlace {
  /** By resource, namespace and name. */
  readonly #records = new Map<Resource, Map<string, Map<string, Record>>>();

  read(resource: Resource, key: ObjectKey): StoredObject | undefined {
    const record = this.#find(resource, key);
    return record && (JSON.parse(record.text) as StoredObject);
  }

  versionOf(resource: Resource, key: ObjectKey): string | undefined {
    return this.#find(resource, key)?.version;
  }

  keysIn(resource: Resource, { namespace, name }: Scope): ObjectKey[] {
    const all = this.#records.get(resource);
    const namespaces = namespace === undefined ? sorted(all) : [namespace];
    return namespaces.flatMap((each) => {
      const names = name === undefined ? sorted(all?.get(each)) : [name];
      return names.map((name) => ({ namespace: each, name }));
    });
  }

  locked<T>(resource: Resource, key: ObjectKey, step: (stored: StoredObject | undefined) => T): T {
    return step(this.read(resource, key));
  }

  write(resource: Resource, object: StoredObject): void {
    const { namespace, name } = keyOf(object);
    const all = entryOf(this.#records, resource, () => new Map<string, Map<string, Record>>());
    const named = entryOf(all, namespace, () => new Map<string, Record>());
    named.set(name, { version: object.metadata.resourceVersion, text: JSON.stringify(object) });
  }

  written(resource: Resource, object: StoredObject): WrittenRecord {
    return writtenRecord(this.#find(resource, keyOf(object))?.text ?? JSON.stringify(object));
  }

  fill(resource: Resource, namespace: string, objects: readonly StoredObject[]): boolean {
    if ((this.#records.get(resource)?.get(namespace)?.size ?? 0) > 0) return false;
    for (const object of objects) this.write(resource, object);
    return true;
  }

  remove(resource: Resource, { namespace, name }: ObjectKey): void {
    this.#records.get(resource)?.get(namespace)?.delete(name);
  }

  follow(): PlaceWatch {
    return NO_OTHERS;
  }

  /** @throws {PodrunError} for a name that no file could have: this place refuses what files refuse */
  #find(resource: Resource, { namespace, name }: ObjectKey): Record | undefined {
    objectPath('', resource, namespace, name);
    return this.#records.get(resource)?.get(namespace)?.get(name);
  }
}

function sorted(map: ReadonlyMap<string, unknown> | undefined): string[] {
  return [...(map?.keys() ?? [])].toSorted();
}

function entryOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  const present = map.get(key) ?? make();
  map.set(key, present);
  return present;
}
