import { caught } from '../../defects.ts';
import type { StoredMeta, WatchEvent } from '../../api/index.ts';
import { keyOf, type StoredObject } from '../base/metadata.ts';
import type { ObjectKey, Resource, Scope, Subscription } from '../base/store.ts';

export type ChangeListener = (event: WatchEvent<StoredObject>) => void;

/** A listener, with the objects that it follows. */
export interface Subscriber {
  readonly resource: Resource;
  readonly scope: Scope;
  readonly listener: ChangeListener;
  /** Versions that the subscriber got with the present state or as an answer, by uid: older changes are not new. */
  readonly knownVersions: Map<string, number>;
  isClosed: boolean;
}

/**
 * Delivers changes to subscribers. Each subscriber gets every change once and in order. A subscriber may make a change
 * while it gets another one: it gets its own change before its call returns, after all other subscribers got both.
 *
 * A process that runs a thousand Pods has a subscriber for each: maps find the subscribers of an object.
 */
export class Subscribers {
  /** Subscribers by scope, see `scopeKey`. Each has the number of its arrival. */
  readonly #byScope = new Map<string, Map<Subscriber, number>>();
  /** The number of subscribers by resource, and by resource and namespace. */
  readonly #counts = new Map<string, number>();
  #arrivals = 0;
  readonly #queue: Array<{ subscriber: Subscriber; event: WatchEvent<StoredObject>; mustBeNew: boolean }> = [];
  readonly #subscriberOf = new WeakMap<Subscription, Subscriber>();

  /** @param onClose called once, after the subscriber is gone */
  add(subscriber: Subscriber, onClose: () => void): Subscription {
    const shelf = scopeKey(subscriber.resource, subscriber.scope);
    const present = this.#byScope.get(shelf) ?? new Map<Subscriber, number>();
    this.#byScope.set(shelf, present.set(subscriber, ++this.#arrivals));
    this.#count(subscriber, 1);
    const subscription = {
      close: () => {
        if (subscriber.isClosed) return;
        subscriber.isClosed = true;
        present.delete(subscriber);
        if (present.size === 0) this.#byScope.delete(shelf);
        this.#count(subscriber, -1);
        onClose();
      },
    };
    this.#subscriberOf.set(subscription, subscriber);
    return subscription;
  }

  /** Notes that the writer knows this state from its write: it gets no change up to this version. */
  skipOwnWrite(writer: Subscription | undefined, { metadata: { uid, resourceVersion } }: StoredObject): void {
    const subscriber = writer && this.#subscriberOf.get(writer);
    subscriber?.knownVersions.set(uid, Number(resourceVersion));
  }

  get isEmpty(): boolean {
    return this.#byScope.size === 0;
  }

  /** True when an object of the resource has a subscriber. */
  hasAnyOf(resource: Resource): boolean {
    return this.#counts.has(scopeKey(resource, {}));
  }

  /** True when some object of the resource in the namespace has a subscriber. */
  hasSomeIn(resource: Resource, namespace: string): boolean {
    return (
      this.#counts.has(scopeKey(resource, { namespace })) || this.#counts.has(scopeKey(resource, { namespace: '' }))
    );
  }

  /** True when the object has a subscriber. */
  hasFor(resource: Resource, key: ObjectKey): boolean {
    return scopesOf(key).some((scope) => this.#byScope.has(scopeKey(resource, scope)));
  }

  /** Queues a change for all its subscribers. */
  enqueue(resource: Resource, event: WatchEvent<StoredObject>): void {
    for (const subscriber of this.#subscribersOf(resource, event))
      this.#queue.push({ subscriber, event, mustBeNew: false });
  }

  /** Queues a change for the subscribers that did not get it with the present state or as an answer. */
  enqueueIfNew(resource: Resource, event: WatchEvent<StoredObject>): void {
    for (const subscriber of this.#subscribersOf(resource, event))
      this.#queue.push({ subscriber, event, mustBeNew: true });
  }

  /** The subscribers of an object, in the order of their arrival. */
  #subscribersOf(resource: Resource, { object }: WatchEvent<StoredObject>): Subscriber[] {
    const matching = scopesOf(keyOf(object)).flatMap((scope) => [
      ...(this.#byScope.get(scopeKey(resource, scope)) ?? []),
    ]);
    return matching.toSorted(([, one], [, other]) => one - other).map(([subscriber]) => subscriber);
  }

  #count({ resource, scope: { namespace = '' } }: Subscriber, more: 1 | -1): void {
    for (const what of [scopeKey(resource, {}), scopeKey(resource, { namespace })]) {
      const count = (this.#counts.get(what) ?? 0) + more;
      if (count === 0) this.#counts.delete(what);
      else this.#counts.set(what, count);
    }
  }

  /** Delivers the queued changes. The error of a subscriber is none of the writer, nor of the other subscribers. */
  flush(): void {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const { subscriber, event, mustBeNew } = next;
      if (subscriber.isClosed || (mustBeNew && !isNew(subscriber, event.object.metadata))) continue;
      if (subscriber.resource === 'events') noteEvent(subscriber, event);
      caught(subscriber.listener)(event);
    }
  }
}

/** The key of a scope. Names of objects and namespaces contain no slashes. */
function scopeKey(resource: Resource, { namespace = '*', name = '*' }: Scope): string {
  return `${resource}/${namespace}/${name}`;
}

/** The scopes that contain an object. */
function scopesOf({ namespace, name }: ObjectKey): Scope[] {
  return [{ namespace, name }, { namespace }, { name }, {}];
}

/** An Event moves from the log of its Pod to a record when the Pod goes: that is no change. */
function noteEvent({ knownVersions }: Subscriber, { type, object: { metadata } }: WatchEvent<StoredObject>): void {
  if (type === 'DELETED') knownVersions.delete(metadata.uid);
  else knownVersions.set(metadata.uid, Number(metadata.resourceVersion));
}

function isNew({ knownVersions }: Subscriber, { uid, resourceVersion }: StoredMeta): boolean {
  const version = knownVersions.get(uid);
  return version === undefined || Number(resourceVersion) > version;
}
