import { isInScope, keyOfText, keyText } from '../disk/listing.ts';
import { KeptObject } from './kept-object.ts';
import { keyOf, type StoredObject } from '../base/metadata.ts';
import type { ObjectKey, Resource, Scope } from '../base/store.ts';
import type { PlaceWatch, RecordPlace } from '../base/record-place.ts';
import type { Subscriber, Subscribers } from './subscribers.ts';

interface RecordFeedOptions {
  readonly subscribers: Subscribers;
  readonly records: RecordPlace;
  readonly read: (resource: Resource, key: ObjectKey) => StoredObject | undefined;
}

/** The plain records of one resource that are being followed. */
interface FollowedResource {
  readonly place: PlaceWatch;
  /** The objects as last reported, by namespace and name. */
  readonly known: Map<string, KeptObject>;
}

/**
 * Reports changes of plain records: compares their place with the objects as last reported. Changes in quick succession
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
    shelf.place.add(scope.namespace);
    // Reports deletions to the other subscribers, before the new one joins.
    for (const key of knownKeys(shelf)) if (isInScope(scope, key)) this.check(resource, key);
    // One after the other: there may be many.
    for (const key of this.#options.records.keysIn(resource, scope)) {
      // Reports what happened so far to the other subscribers. The new subscriber starts after that.
      if (this.#isWanted(resource, key)) this.check(resource, key);
      else {
        const object = this.#options.read(resource, key);
        if (object !== undefined) shelf.known.set(keyText(key), KeptObject.of(object));
      }
    }
  }

  /** The objects of a scope that is followed, sorted by namespace, then name. They must not be changed. */
  present(resource: Resource, scope: Scope): Iterable<StoredObject> {
    const known = this.#resources.get(resource)?.known;
    return objectsOf(this.#options.records.keysIn(resource, scope).flatMap((key) => known?.get(keyText(key)) ?? []));
  }

  /** Forgets the objects that only this closed subscriber wanted. */
  trim({ resource }: Subscriber): void {
    const shelf = this.#resources.get(resource);
    if (shelf === undefined) return;
    if (this.#options.subscribers.hasAnyOf(resource)) {
      for (const key of knownKeys(shelf)) if (!this.#isWanted(resource, key)) shelf.known.delete(keyText(key));
      return;
    }
    shelf.place.close();
    this.#resources.delete(resource);
  }

  /** Reports what happened to an object since the last look. Reads only what is new. */
  check(resource: Resource, key: ObjectKey): void {
    const shelf = this.#resources.get(resource);
    if (shelf === undefined || !this.#isWanted(resource, key)) return;
    const version = this.#options.records.versionOf(resource, key);
    if (version === shelf.known.get(keyText(key))?.resourceVersion) return;
    this.#report(resource, shelf, key, version === undefined ? undefined : this.#options.read(resource, key));
  }

  /** Reports an object that this process has written. Nothing has to be read. */
  written(resource: Resource, object: StoredObject): void {
    const shelf = this.#resources.get(resource);
    const key = keyOf(object);
    if (shelf === undefined || !this.#isWanted(resource, key)) return;
    // The object itself belongs to the writer, who may change it.
    const { object: now, length } = this.#options.records.written(resource, object);
    this.#report(resource, shelf, key, now, length);
  }

  /** @param length of the text of the object; see `KeptObject` */
  #report(
    resource: Resource,
    shelf: FollowedResource,
    key: ObjectKey,
    now: StoredObject | undefined,
    length?: number,
  ): void {
    const before = shelf.known.get(keyText(key));
    if (before?.resourceVersion === now?.metadata.resourceVersion) return;
    const { subscribers } = this.#options;
    if (before !== undefined && now?.metadata.uid !== before.uid) {
      subscribers.enqueue(resource, { type: 'DELETED', object: before.object });
    }
    before?.release();
    if (now === undefined) shelf.known.delete(keyText(key));
    else {
      shelf.known.set(keyText(key), KeptObject.of(now, length));
      const type = before?.uid === now.metadata.uid ? 'MODIFIED' : 'ADDED';
      subscribers.enqueueIfNew(resource, { type, object: now });
    }
    subscribers.flush();
  }

  /** Looks at everything in folders that have changed. See `PodFeed.recheck`. */
  recheck(later: (part: () => void) => void): void {
    for (const [resource, shelf] of this.#resources) {
      const keys = new Map<string, ObjectKey>();
      const namespaces = new Set(shelf.place.rescan((key) => void keys.set(keyText(key), key)));
      // Objects that are gone are no entries any more.
      for (const key of knownKeys(shelf)) if (namespaces.has(key.namespace)) keys.set(keyText(key), key);
      for (const key of keys.values()) later(() => this.#checkAgain(resource, shelf, key));
    }
  }

  #checkAgain(resource: Resource, { place }: FollowedResource, key: ObjectKey): void {
    try {
      this.check(resource, key);
    } catch (error) {
      place.unsettle();
      throw error;
    }
  }

  #followResource(resource: Resource): FollowedResource {
    const place = this.#options.records.follow(resource, (key) => this.check(resource, key));
    const shelf: FollowedResource = { place, known: new Map() };
    this.#resources.set(resource, shelf);
    return shelf;
  }

  #isWanted(resource: Resource, key: ObjectKey): boolean {
    return this.#options.subscribers.hasFor(resource, key);
  }
}

/** The objects, each unpacked when it is its turn. */
function* objectsOf(kept: readonly KeptObject[]): Iterable<StoredObject> {
  for (const { object } of kept) yield object;
}

/** The keys of the objects as last reported. An object may be forgotten while they are gone through. */
function* knownKeys({ known }: FollowedResource): Iterable<ObjectKey> {
  for (const text of known.keys()) yield keyOfText(text);
}
