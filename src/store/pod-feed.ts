import { isSameJson } from '../api/json.ts';
import { isTerminalPhase, isUnreachable, type StoredPod } from '../api/objects.ts';
import { FolderWatch, watchPath } from './folder-watch.ts';
import { podPaths } from './layout.ts';
import { LineCursor } from './line-cursor.ts';
import { isWithin, keysIn, keyText } from './listing.ts';
import type { StoredObject } from './metadata.ts';
import type { ObjectKey, Scope } from './store.ts';
import type { Subscriber, Subscribers } from './subscribers.ts';
import { isAboutEvent, parseTransition } from './transition-log.ts';

/** One transition log that is being followed. */
interface Follower {
  readonly key: ObjectKey;
  readonly cursor: LineCursor;
  readonly watcher: { close(): void };
  /** The Pod as last told; undefined once it was told to be deleted. */
  pod: StoredPod | undefined;
  /** The last line, that the Pod is gone, has been told, but its folder may still be in its place. */
  farewell: StoredPod | undefined;
  /** Who came after the last line was told, and may have found the folder. */
  readonly late: Set<Subscriber>;
}

interface PodFeedOptions {
  readonly root: string;
  readonly subscribers: Subscribers;
  /** The Pod as readers see it. */
  readonly readPod: (key: ObjectKey) => StoredPod | undefined;
  /** True when its owner is gone or does not answer. Asked often. */
  readonly isOutOfReach: (key: ObjectKey) => boolean;
}

/**
 * Changes of Pods and of their Events, by following the transition logs of the Pods that somebody wants to know of.
 * Changes of this process take the same way, through the file, so that everything comes once and in the one order that
 * the log has; `check` makes that happen within the call that wrote.
 */
export class PodFeed {
  readonly #options: PodFeedOptions;
  readonly #followers = new Map<string, Follower>();
  readonly #folders: FolderWatch;

  constructor(options: PodFeedOptions) {
    this.#options = options;
    this.#folders = new FolderWatch(options.root, 'pods', (key) => this.check(key));
  }

  /** Follows what a new subscriber wants. What exists is followed from here on, what comes later from its beginning. */
  follow(subscriber: Subscriber): void {
    const scope = podScope(subscriber);
    this.#folders.add(scope.namespace);
    // The others are told of changes up to here, also of Pods that have come or gone without a word so far; for the new
    // one, here is where it begins.
    for (const { key } of this.#followersWithin(scope)) this.check(key);
    for (const key of keysIn(this.#options.root, 'pods', scope)) {
      const follower = this.#followers.get(keyText(key));
      if (follower?.farewell !== undefined && subscriber.resource === 'pods') follower.late.add(subscriber);
      if (follower !== undefined) continue;
      if (this.#isWanted(key)) this.check(key);
      else this.#attach(key, 'end');
    }
  }

  /** Lets go of what nobody wants any more, now that this subscriber is gone. */
  trim(subscriber: Subscriber): void {
    for (const follower of this.#followersWithin(podScope(subscriber))) {
      if (!this.#isWanted(follower.key)) this.#detach(follower);
    }
    const { subscribers } = this.#options;
    if (!subscribers.wantAnyOf('pods') && !subscribers.wantAnyOf('events')) this.#folders.close();
  }

  #followersWithin(scope: Scope): Follower[] {
    const { namespace, name } = scope;
    if (namespace === undefined || name === undefined) {
      return [...this.#followers.values()].filter(({ key }) => isWithin(scope, key));
    }
    const follower = this.#followers.get(keyText({ namespace, name }));
    return follower === undefined ? [] : [follower];
  }

  /** Something may have happened to that Pod, its Events, or its folder: tells what did. */
  check(key: ObjectKey): void {
    const follower = this.#followers.get(keyText(key));
    if (follower !== undefined) {
      this.#drain(follower);
      if (follower.cursor.isCurrent()) return;
      this.#leave(follower);
    }
    if (this.#followers.has(keyText(key)) || !this.#isWanted(key)) return;
    const successor = this.#attach(key, 'start');
    if (successor !== undefined) this.#drain(successor);
  }

  /**
   * Answers a Pod that somebody has just read, who may count on being told when it goes. One that nobody was told of
   * yet is followed from now on: it cannot come and go without a word. It may have gone meanwhile: then there is none.
   */
  found(key: ObjectKey, pod: StoredPod | undefined): StoredPod | undefined {
    if (pod === undefined || this.#followers.has(keyText(key)) || !this.#isWanted(key)) return pod;
    this.#attach(key, 'start');
    return this.#options.readPod(key);
  }

  /** Looks at everything, told of or not: for what the file system did not tell, and for owners that died. */
  recheck(): void {
    this.#folders.rescan();
    for (const follower of this.#followers.values()) {
      this.check(follower.key);
      this.#tellOfOwner(follower);
    }
  }

  /** The name of an Event does not say which Pod it is about. */
  #isWanted(key: ObjectKey): boolean {
    const { subscribers } = this.#options;
    return subscribers.want('pods', key) || subscribers.wantSomeIn('events', key.namespace);
  }

  #attach(key: ObjectKey, from: 'start' | 'end'): Follower | undefined {
    const { transitions } = podPaths(this.#options.root, key.namespace, key.name);
    // Open before it is watched: where another log comes into its place meanwhile, this one is found not to be there.
    const cursor = LineCursor.open(transitions, 'start');
    if (cursor === undefined) return undefined;
    const watcher = watchPath(transitions, () => this.check(key));
    // Watched before its end is looked for: there is no line that is neither before the end nor told of.
    if (from === 'end') cursor.skipToEnd();
    const pod = from === 'end' ? this.#options.readPod(key) : undefined;
    const follower: Follower = { key, cursor, watcher, pod, farewell: undefined, late: new Set() };
    this.#followers.set(keyText(key), follower);
    return follower;
  }

  #detach(follower: Follower): void {
    follower.watcher.close();
    follower.cursor.close();
    this.#followers.delete(keyText(follower.key));
  }

  /** The log is no longer in its place. What it held to its end is told; somebody may have left out the last line. */
  #leave(follower: Follower): void {
    // Once more: between the last look and now, another process may have written the last line and moved the log.
    this.#drain(follower);
    // Whoever was told may have come here before.
    if (this.#followers.get(keyText(follower.key)) !== follower) return;
    this.#detach(follower);
    const { pod, farewell, late } = follower;
    if (pod !== undefined) return this.#tell('pods', { type: 'DELETED', object: pod });
    if (farewell === undefined) return;
    for (const subscriber of late) {
      this.#options.subscribers.enqueueFor(subscriber, { type: 'DELETED', object: farewell });
    }
    this.#options.subscribers.flush();
  }

  #drain(follower: Follower): void {
    const { subscribers } = this.#options;
    for (let lines = follower.cursor.next(); lines.length > 0; lines = follower.cursor.next()) {
      for (const line of lines) this.#take(line, follower);
      subscribers.flush();
    }
  }

  #take(line: Buffer, follower: Follower): void {
    const resource = isAboutEvent(line) ? 'events' : 'pods';
    if (resource === 'events' && !this.#options.subscribers.wantAnyOf('events')) return;
    const transition = parseTransition(line);
    if (transition === undefined) return;
    const object = transition.object as StoredObject;
    if (resource === 'pods') {
      const isGone = transition.type === 'DELETED';
      follower.pod = isGone ? undefined : (object as StoredPod);
      follower.farewell = isGone ? (object as StoredPod) : undefined;
      // Of this line they are told.
      follower.late.clear();
    }
    this.#options.subscribers.enqueueIfNews(resource, { type: transition.type, object });
  }

  /**
   * When the owner of a Pod dies or does not answer, nobody writes a line: readers find phase Unknown, and so do
   * watchers, once. An owner that answers again need not write one either.
   */
  #tellOfOwner(follower: Follower): void {
    const told = follower.pod?.status;
    if (told === undefined || isTerminalPhase(told.phase)) return;
    if (!isUnreachable(told) && (told.phase === 'Unknown' || !this.#options.isOutOfReach(follower.key))) return;
    const pod = this.#options.readPod(follower.key);
    if (pod === undefined || isSameJson(pod.status, told)) return;
    // Other changes have a line in the log.
    if (!isUnreachable(told) && pod.status.phase !== 'Unknown') return;
    follower.pod = pod;
    this.#tell('pods', { type: 'MODIFIED', object: pod });
  }

  #tell(resource: 'pods' | 'events', event: { type: 'MODIFIED' | 'DELETED'; object: StoredObject }): void {
    this.#options.subscribers.enqueue(resource, event);
    this.#options.subscribers.flush();
  }
}

/** The Pods whose logs hold what a subscriber wants: the name of an Event does not say which Pod it is about. */
function podScope({ resource, scope }: Subscriber): Scope {
  return { namespace: scope.namespace, name: resource === 'pods' ? scope.name : undefined };
}
