import type { StoredMeta, WatchEvent } from '../api/objects.ts';
import { isWithin } from './listing.ts';
import { keyOf, type StoredObject } from './metadata.ts';
import type { Resource, Scope, Subscription } from './store.ts';

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
 */
export class Subscribers {
  readonly #all = new Set<Subscriber>();
  readonly #queue: Array<{ subscriber: Subscriber; event: WatchEvent<StoredObject> }> = [];

  /** @param onClose called once, after the subscriber is gone */
  add(subscriber: Subscriber, onClose: () => void): Subscription {
    this.#all.add(subscriber);
    return {
      close: () => {
        if (subscriber.isClosed) return;
        subscriber.isClosed = true;
        this.#all.delete(subscriber);
        onClose();
      },
    };
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Does anybody want to know of an object there? */
  want(matches: (subscriber: Subscriber) => boolean): boolean {
    return [...this.#all].some(matches);
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

  #wanting(resource: Resource, { object }: WatchEvent<StoredObject>): Subscriber[] {
    const key = keyOf(object);
    return [...this.#all].filter((subscriber) => subscriber.resource === resource && isWithin(subscriber.scope, key));
  }

  /** Delivers what is lined up. */
  flush(): void {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      if (!next.subscriber.isClosed) next.subscriber.listener(next.event);
    }
  }
}

function isNews({ told }: Subscriber, { uid, resourceVersion }: StoredMeta): boolean {
  const version = told.get(uid);
  return version === undefined || Number(resourceVersion) > version;
}
