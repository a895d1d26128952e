import { FolderWatch } from './folder-watch.ts';
import { isInScope, keyText } from '../disk/listing.ts';
import { keyOf, type StoredObject } from '../base/metadata.ts';
import type { ObjectKey, Resource, Scope } from '../base/store.ts';
import type { Subscriber, Subscribers } from './subscribers.ts';

interface RecordFeedOptions {
  readonly root: string;
  readonly subscribers: Subscribers;
  readonly list: (resource: Resource, scope: Scope) => StoredObject[];
  readonly read: (resource: Resource, key: ObjectKey) => StoredObject | undefined;
  /** The resource version of the object, found without reading it. Undefined when there is no such object. */
  readonly versionOf: (resource: Resource, key: ObjectKey) => string | undefined;
}

/** The plain records of one resource that are being followed. */
interface FollowedResource {
  readonly folders: FolderWatch;
  /** The objects as last reported, by namespace and name. */
  readonly known: Map<string, StoredObject>;
}

/**
 * Reports changes of plain records: compares the files with the objects as last reported. Changes in quick succession
 * by another process may be reported as one, as clients of Kubernetes expect. Each change of this process is reported.
 */
export class RecordFeed {
  readonly #options: RecordFeedOptions;
  readonly #resources = new Map<Resource, FollowedResource>();

  constructor(options: RecordFeedOptions) {
    this.#options = options;
  }

  follow({ resource, scope }: Subscriber): void {
    const shelf = this.#resources.get(resource) ?? this.#followResource(resource);
    shelf.folders.add(scope.namespace);
    // Reports deletions to the other subscribers, before the new one joins.
    for (const object of shelf.known.values()) if (isInScope(scope, keyOf(object))) this.check(resource, keyOf(object));
    for (const object of this.#options.list(resource, scope)) {
      const key = keyOf(object);
      // Reports what happened so far to the other subscribers. The new subscriber starts after that.
      if (this.#isWanted(resource, key)) this.check(resource, key);
      else shelf.known.set(keyText(key), object);
    }
  }

  trim(): void {
    for (const [resource, shelf] of this.#resources) {
      for (const [text, object] of shelf.known) {
        if (!this.#isWanted(resource, keyOf(object))) shelf.known.delete(text);
      }
      if (this.#options.subscribers.hasAnyOf(resource)) continue;
      shelf.folders.close();
      this.#resources.delete(resource);
    }
  }

  /** Reports what happened to an object since the last look. Reads only what is new. */
  check(resource: Resource, key: ObjectKey): void {
    const shelf = this.#resources.get(resource);
    if (shelf === undefined || !this.#isWanted(resource, key)) return;
    const version = this.#options.versionOf(resource, key);
    if (version === shelf.known.get(keyText(key))?.metadata.resourceVersion) return;
    this.#report(resource, shelf, key, version === undefined ? undefined : this.#options.read(resource, key));
  }

  /** Reports an object that this process has written. Nothing has to be read. */
  written(resource: Resource, object: StoredObject): void {
    const shelf = this.#resources.get(resource);
    const key = keyOf(object);
    if (shelf === undefined || !this.#isWanted(resource, key)) return;
    // The object belongs to the writer, who may change it. Readers of the file would get it like this.
    this.#report(resource, shelf, key, JSON.parse(JSON.stringify(object)) as StoredObject);
  }

  #report(resource: Resource, shelf: FollowedResource, key: ObjectKey, now: StoredObject | undefined): void {
    const before = shelf.known.get(keyText(key));
    if (before?.metadata.resourceVersion === now?.metadata.resourceVersion) return;
    const { subscribers } = this.#options;
    if (before !== undefined && now?.metadata.uid !== before.metadata.uid) {
      subscribers.enqueue(resource, { type: 'DELETED', object: before });
    }
    if (now === undefined) shelf.known.delete(keyText(key));
    else {
      shelf.known.set(keyText(key), now);
      const type = before?.metadata.uid === now.metadata.uid ? 'MODIFIED' : 'ADDED';
      subscribers.enqueueIfNew(resource, { type, object: now });
    }
    subscribers.flush();
  }

  recheck(): void {
    for (const [resource, shelf] of this.#resources) {
      const namespaces = new Set(shelf.folders.rescan());
      // Objects that are gone are no entries any more.
      for (const object of shelf.known.values()) {
        const key = keyOf(object);
        if (namespaces.has(key.namespace)) this.check(resource, key);
      }
    }
  }

  #followResource(resource: Resource): FollowedResource {
    const folders = new FolderWatch(this.#options.root, resource, (key) => this.check(resource, key));
    const shelf: FollowedResource = { folders, known: new Map() };
    this.#resources.set(resource, shelf);
    return shelf;
  }

  #isWanted(resource: Resource, key: ObjectKey): boolean {
    return this.#options.subscribers.hasFor(resource, key);
  }
}
