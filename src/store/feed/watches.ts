import type { StoredPod } from '../../api/index.ts';
import { type Alarm, type Clock, inTurn } from '../../clock.ts';
import { ifPossible } from '../disk/disk-errors.ts';
import { keyOf, type StoredObject, podOf } from '../base/metadata.ts';
import { PodFeed } from './pod-feed.ts';
import type { OpenPodLogs } from '../disk/pod-log.ts';
import { RecordFeed } from './record-feed.ts';
import type { RecordPlace } from '../base/record-place.ts';
import type { OwnerReach } from '../owners/ownership.ts';
import type { ObjectKey, Resource, Scope, Subscription } from '../base/store.ts';
import { type ChangeListener, type Subscriber, Subscribers } from './subscribers.ts';

/** The period of looking for changes that the file system did not report. */
const RECHECK_MS = 2000;
/** The rest after a look, as a multiple of the time that it took: it must not be most of what the process does. */
const REST = 10;

interface WatchesOptions {
  readonly root: string;
  readonly clock: Clock;
  readonly logs: OpenPodLogs;
  /** Reads the Pod as readers see it. */
  readonly readPod: (key: ObjectKey) => StoredPod | undefined;
  readonly reachOf: (pod: StoredPod) => OwnerReach;
  readonly records: RecordPlace;
  readonly read: (resource: Resource, key: ObjectKey) => StoredObject | undefined;
}

/** A new subscription. */
interface Watching {
  readonly subscription: Subscription;
  /** Sends the subscriber an object that existed before. */
  readonly sendPresent: (object: StoredObject) => void;
}

/** The subscriptions of a store, and the feeds that find changes of this process and of other processes. */
export class Watches {
  readonly #clock: Clock;
  readonly #subscribers = new Subscribers();
  readonly #podFeed: PodFeed;
  readonly #recordFeed: RecordFeed;
  #nextRecheck: Alarm | undefined;
  /** The parts of a recheck that wait for their turns. */
  #parts = 0;
  /** The times at which the last recheck began, and at which the next one may, of the monotonic clock. */
  #beganMs = 0;
  #restsUntilMs = 0;

  constructor({ root, clock, logs, readPod, reachOf, records, read }: WatchesOptions) {
    const subscribers = this.#subscribers;
    this.#clock = clock;
    this.#podFeed = new PodFeed({ root, subscribers, logs, readPod, reachOf });
    this.#recordFeed = new RecordFeed({ subscribers, records, read });
  }

  add(resource: Resource, scope: Scope, listener: ChangeListener): Watching {
    const knownVersions = new Map<string, number>();
    const subscriber: Subscriber = { resource, scope, listener, knownVersions, isClosed: false };
    if (resource === 'pods' || resource === 'events') this.#podFeed.follow(subscriber);
    if (resource !== 'pods') this.#recordFeed.follow(subscriber);
    const subscription = this.#subscribers.add(subscriber, () => this.#trim(subscriber));
    this.#nextRecheck ??= this.#planRecheck();
    const sendPresent = (object: StoredObject): void => {
      knownVersions.set(object.metadata.uid, Number(object.metadata.resourceVersion));
      if (!subscriber.isClosed) listener({ type: 'ADDED', object });
    };
    return { subscription, sendPresent };
  }

  /** See `RecordFeed.present`. */
  present(resource: Resource, scope: Scope): Iterable<StoredObject> {
    return this.#recordFeed.present(resource, scope);
  }

  /** See `Subscribers.skipOwnWrite`. */
  skipOwnWrite(writer: Subscription | undefined, object: StoredObject): void {
    this.#subscribers.skipOwnWrite(writer, object);
  }

  /** Reports an object that this process has just written, of any kind but Pods and Events. */
  written(resource: Resource, object: StoredObject): void {
    this.#recordFeed.written(resource, object);
  }

  /**
   * Reports changes that this process has just made, after earlier changes of other processes.
   * @param objects one object, or Events about one Pod
   */
  publish(resource: Resource, objects: readonly StoredObject[]): void {
    // The change is stored. If it cannot be reported now, the next recheck finds it.
    ifPossible(() => {
      if (resource !== 'pods') for (const object of objects) this.#recordFeed.check(resource, keyOf(object));
      const [first] = objects;
      const pod = resource === 'pods' ? first?.metadata : first && podOf(first);
      if (pod !== undefined) this.#podFeed.written(pod);
    });
  }

  /** See `PodFeed.check`. */
  checkPod(key: ObjectKey): void {
    this.#podFeed.check(key);
  }

  /** See `PodFeed.ensureFollowed`. */
  ensurePodFollowed(key: ObjectKey, pod: StoredPod | undefined): StoredPod | undefined {
    return this.#podFeed.ensureFollowed(key, pod);
  }

  #trim(subscriber: Subscriber): void {
    this.#podFeed.trim(subscriber);
    this.#recordFeed.trim(subscriber);
    if (!this.#subscribers.isEmpty) return;
    this.#nextRecheck?.cancel();
    this.#nextRecheck = undefined;
  }

  /** Runs a part of a recheck in its turn: there may be ten thousand Pods to look at. */
  readonly #later = (part: () => void): void => {
    this.#parts += 1;
    inTurn(this.#clock, () => {
      this.#parts -= 1;
      ifPossible(part);
      const nowMs = this.#clock.now().monotonicMs;
      if (this.#parts === 0) this.#restsUntilMs = nowMs + REST * (nowMs - this.#beganMs);
    });
  };

  #planRecheck(): Alarm {
    return this.#clock.wakeAt(this.#clock.now().monotonicMs + RECHECK_MS, () => {
      this.#nextRecheck = this.#planRecheck();
      // The last one may still wait for its turns.
      const nowMs = this.#clock.now().monotonicMs;
      if (this.#parts > 0 || nowMs < this.#restsUntilMs) return;
      this.#beganMs = nowMs;
      ifPossible(() => this.#podFeed.recheck(this.#later));
      ifPossible(() => this.#recordFeed.recheck(this.#later));
    });
  }
}
