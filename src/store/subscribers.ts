import type { StoredMeta, WatchEvent } from '../api/objects.ts';
import { keyOf, type StoredObject } from './metadata.ts';
import type { ObjectKey, Resource, Scope, Subscription } from './store.ts';

export type Listener = (event: WatchEvent<StoredObject>) => void;

/** Who wants to know what. */
export interface Subscriber {
  readonly resource: Resource;
  readonly scope: Scope;
  readonly listener: Listener;
  /** Versions that the subscriber was told as the present state, by uid: lines up to them are no news. */
  readonly told: Map<string, number>;
  isClosed: boolean;
}

/**
 * Hands changes to those who want them. Each subscriber gets every change once and in order. A subscriber that makes a
 * change itself, while it is told of another, is told of its own before its call returns; the others have then been
 * told of both.
 *
 * Whoever runs a thousand Pods has subscribed to each of them: who wants to know of one is looked up, not searched for.
 */
export class Subscribers {
  /** By what they want to know of, see `shelfOf`; each with the place that it came in at. */
  readonly #shelves = new Map<string, Map<Subscriber, number>>();
  /** How many there are of a resource, and of a resource in a namespace. */
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

  /** Does anybody want to know of an object of that resource? */
  wantAnyOf(resource: Resource): boolean {
    return this.#counts.has(shelfOf(resource, {}));
  }

  /** Does anybody want to know of some object of that resource in that namespace? */
  wantSomeIn(resource: Resource, namespace: string): boolean {
    return this.#counts.has(shelfOf(resource, { namespace })) || this.#counts.has(shelfOf(resource, { namespace: '' }));
  }

  /** Does anybody want to know of that object? */
  want(resource: Resource, key: ObjectKey): boolean {
    return scopesOf(key).some((scope) => this.#shelves.has(shelfOf(resource, scope)));
  }

  /** Lines up a change for everybody who wants it. */
  enqueue(resource: Resource, event: WatchEvent<StoredObject>): void {
    for (const subscriber of this.#wanting(resource, event)) this.#queue.push({ subscriber, event });
  }

  /** Lines up a change that some may have been told of already, as part of the present state. */
  enqueueIfNews(resource: Resource, event: WatchEvent<StoredObject>): void {
    for (const subscriber of this.#wanting(resource, event)) {
      if (isNews(subscriber, event.object.metadata)) this.#queue.push({ subscriber, event });
    }
  }

  /** Lines up a change that one of them has missed. */
  enqueueFor(subscriber: Subscriber, event: WatchEvent<StoredObject>): void {
    this.#queue.push({ subscriber, event });
  }

  /** In the order in which they came. */
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

  /** Delivers what is lined up. */
  flush(): void {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (!next.subscriber.isClosed) next.subscriber.listener(next.event);
    }
  }
}

/** Names of objects and namespaces have no slashes. */
function shelfOf(resource: Resource, { namespace = '*', name = '*' }: Scope): string {
  return `${resource}/${namespace}/${name}`;
}

/** The scopes that an object is part of. */
function scopesOf({ namespace, name }: ObjectKey): Scope[] {
  return [{ namespace, name }, { namespace }, { name }, {}];
}

function isNews({ told }: Subscriber, { uid, resourceVersion }: StoredMeta): boolean {
  const version = told.get(uid);
  return version === undefined || Number(resourceVersion) > version;
}
