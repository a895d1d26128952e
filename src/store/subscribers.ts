import type { StoredMeta, WatchEvent } from '../api/objects.ts';
import { keyOf, type StoredObject } from './metadata.ts';
import type { ObjectKey, Resource, Scope, Subscription } from './store.ts';

export type Listener = (event: WatchEvent<StoredObject>) => void;

/** A listener, with the objects that it follows. */
export interface Subscriber {
  readonly resource: Resource;
  readonly scope: Scope;
  readonly listener: Listener;
  /** Versions that the subscriber got with the present state, by uid: changes up to these versions are not new. */
  readonly told: Map<string, number>;
  isClosed: boolean;
}

/**
 * Delivers changes to subscribers. Each subscriber gets every change once and in order. A subscriber may make a change
 * while it gets another one: it gets its own change before its call returns, after the others got both.
 *
 * A process that runs a thousand Pods has a subscriber for each: maps find the subscribers of an object.
 */
export class Subscribers {
  /** Subscribers by scope, see `shelfOf`. Each has the number of its arrival. */
  readonly #shelves = new Map<string, Map<Subscriber, number>>();
  /** The number of subscribers by resource, and by resource and namespace. */
  readonly #counts = new Map<string, number>();
  #came = 0;
  readonly #queue: Array<{ subscriber: Subscriber; event: WatchEvent<StoredObject> }> = [];

  /** @param onClose called once, after the subscriber is gone */
  add(subscriber: Subscriber, onClose: () => void): Subscription {
    const shelf = shelfOf(subscriber.resource, subscriber.scope);
    const present = this.#shelves.get(shelf) ?? new Map<Subscriber, number>();
    this.#shelves.set(shelf, present.set(subscriber, ++this.#came));
    this.#count(subscriber, 1);
    return {
      close: () => {
        if (subscriber.isClosed) return;
        subscriber.isClosed = true;
        present.delete(subscriber);
        if (present.size === 0) this.#shelves.delete(shelf);
        this.#count(subscriber, -1);
        onClose();
      },
    };
  }

  get isEmpty(): boolean {
    return this.#shelves.size === 0;
  }

  /** True when an object of the resource has a subscriber. */
  wantAnyOf(resource: Resource): boolean {
    return this.#counts.has(shelfOf(resource, {}));
  }

  /** True when some object of the resource in the namespace has a subscriber. */
  wantSomeIn(resource: Resource, namespace: string): boolean {
    return this.#counts.has(shelfOf(resource, { namespace })) || this.#counts.has(shelfOf(resource, { namespace: '' }));
  }

  /** True when the object has a subscriber. */
  want(resource: Resource, key: ObjectKey): boolean {
    return scopesOf(key).some((scope) => this.#shelves.has(shelfOf(resource, scope)));
  }

  /** Queues a change for all its subscribers. */
  enqueue(resource: Resource, event: WatchEvent<StoredObject>): void {
    for (const subscriber of this.#wanting(resource, event)) this.#queue.push({ subscriber, event });
  }

  /** Queues a change for the subscribers that did not get it with the present state. */
  enqueueIfNews(resource: Resource, event: WatchEvent<StoredObject>): void {
    for (const subscriber of this.#wanting(resource, event)) {
      if (isNews(subscriber, event.object.metadata)) this.#queue.push({ subscriber, event });
    }
  }

  /** Queues a change for one subscriber that missed it. */
  enqueueFor(subscriber: Subscriber, event: WatchEvent<StoredObject>): void {
    this.#queue.push({ subscriber, event });
  }

  /** The subscribers of an object, in the order of their arrival. */
  #wanting(resource: Resource, { object }: WatchEvent<StoredObject>): Subscriber[] {
    const found = scopesOf(keyOf(object)).flatMap((scope) => [...(this.#shelves.get(shelfOf(resource, scope)) ?? [])]);
    return found.toSorted(([, one], [, other]) => one - other).map(([subscriber]) => subscriber);
  }

  #count({ resource, scope: { namespace = '' } }: Subscriber, more: 1 | -1): void {
    for (const what of [shelfOf(resource, {}), shelfOf(resource, { namespace })]) {
      const count = (this.#counts.get(what) ?? 0) + more;
      if (count === 0) this.#counts.delete(what);
      else this.#counts.set(what, count);
    }
  }

  /** Delivers the queued changes. */
  flush(): void {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (!next.subscriber.isClosed) next.subscriber.listener(next.event);
    }
  }
}

/** The key of a scope. Names of objects and namespaces contain no slashes. */
function shelfOf(resource: Resource, { namespace = '*', name = '*' }: Scope): string {
  return `${resource}/${namespace}/${name}`;
}

/** The scopes that contain an object. */
function scopesOf({ namespace, name }: ObjectKey): Scope[] {
  return [{ namespace, name }, { namespace }, { name }, {}];
}

function isNews({ told }: Subscriber, { uid, resourceVersion }: StoredMeta): boolean {
  const version = told.get(uid);
  return version === undefined || Number(resourceVersion) > version;
}
