import { isSameJson, isTerminalPhase, isUnreachable, type StoredPod, type WatchEvent } from '../../api/index.ts';
import { nextEventLoopTurn } from '../../clock.ts';
import { ifPossible } from '../disk/disk-errors.ts';
import { FolderWatch, watchPath } from './folder-watch.ts';
import { podPaths } from '../base/layout.ts';
import type { PodLog, OpenPodLogs } from '../disk/pod-log.ts';
import { isInScope, keysIn, keyText } from '../disk/listing.ts';
import type { StoredObject } from '../base/metadata.ts';
import type { OwnerReach } from '../owners/ownership.ts';
import type { ObjectKey, Scope } from '../base/store.ts';
import type { Subscriber, Subscribers } from './subscribers.ts';
import { isAboutEvent, parseTransition } from '../disk/transition-log.ts';

/** A transition log that is being followed. */
interface Follower {
  readonly key: ObjectKey;
  readonly log: PodLog;
  readonly watcher: { close(): void };
  /** The Pod as last reported. Undefined before the first report, and after the one of its deletion. */
  pod: StoredPod | undefined;
  /** The last state of a Pod whose deletion is logged, and is reported once its folder is out of its place. */
  deletedPod: StoredPod | undefined;
  /** True when this process owns the Pod: no other process takes it away as long as this one lives. */
  isOwn: boolean;
}

interface PodFeedOptions {
  readonly root: string;
  readonly subscribers: Subscribers;
  readonly logs: OpenPodLogs;
  /** Reads the Pod as readers see it. */
  readonly readPod: (key: ObjectKey) => StoredPod | undefined;
  /** The reach of the owner of a Pod. Called often. */
  readonly reachOf: (pod: StoredPod) => OwnerReach;
}

/**
 * Reports changes of Pods and of their Events: follows the transition logs of the Pods that have subscribers. A change
 * of this process takes the same way through the log, so that every change is reported once, in the order of the log.
 * The writer calls `written`, which reports the change before the call of the writer returns.
 */
export class PodFeed {
  readonly #options: PodFeedOptions;
  readonly #followers = new Map<string, Follower>();
  readonly #folders: FolderWatch;

  constructor(options: PodFeedOptions) {
    this.#options = options;
    this.#folders = new FolderWatch(options.root, 'pods', (key) => this.check(key));
  }

  /** Follows the Pods of a new subscriber. It gets changes of existing Pods from now on, and all of later Pods. */
  follow(subscriber: Subscriber): void {
    const scope = podScope(subscriber);
    this.#folders.add(scope.namespace);
    // Reports what happened so far to the other subscribers, also of Pods whose creation or deletion is not yet
    // reported. The new subscriber starts after that.
    for (const { key } of this.#followersWithin(scope)) this.check(key);
    for (const key of keysIn(this.#options.root, 'pods', scope)) {
      if (this.#followers.has(keyText(key))) continue;
      if (this.#isWanted(key)) this.check(key);
      else this.#attach(key, 'end');
    }
  }

  /** Stops following the Pods that only this closed subscriber wanted. */
  trim(subscriber: Subscriber): void {
    for (const follower of this.#followersWithin(podScope(subscriber))) {
      if (!this.#isWanted(follower.key)) this.#detach(follower);
    }
    const { subscribers } = this.#options;
    if (!subscribers.hasAnyOf('pods') && !subscribers.hasAnyOf('events')) this.#folders.close();
  }

  #followersWithin(scope: Scope): Follower[] {
    const { namespace, name } = scope;
    if (namespace === undefined || name === undefined) {
      return [...this.#followers.values()].filter(({ key }) => isInScope(scope, key));
    }
    const follower = this.#followers.get(keyText({ namespace, name }));
    return follower === undefined ? [] : [follower];
  }

  /** Reports what happened to a Pod, its Events or its folder since the last look. */
  check(key: ObjectKey): void {
    const follower = this.#followers.get(keyText(key));
    if (follower !== undefined) {
      const isCurrent = this.#options.logs.look(key, follower.log);
      this.#report(follower);
      if (isCurrent) return;
      this.#finish(follower);
    }
    if (this.#followers.has(keyText(key)) || !this.#isWanted(key)) return;
    const successor = this.#attach(key, 'start');
    if (successor !== undefined) this.#report(successor);
  }

  /** Reports what this process has just written about a Pod. Nothing has to be read. */
  written(key: ObjectKey): void {
    const follower = this.#followers.get(keyText(key));
    if (follower !== undefined && this.#options.logs.has(key, follower.log)) this.#report(follower);
    else this.check(key);
  }

  /**
   * Takes a Pod that a caller has just read, and returns it. The caller may rely on a report of its deletion: so a Pod
   * without a report yet is followed from now on. Returns undefined when the Pod has gone meanwhile.
   */
  ensureFollowed(key: ObjectKey, pod: StoredPod | undefined): StoredPod | undefined {
    if (pod === undefined || this.#followers.has(keyText(key)) || !this.#isWanted(key)) return pod;
    this.#attach(key, 'start');
    return this.#options.readPod(key);
  }

  /**
   * Looks at everything, for changes that the file system did not report, and for owners that died.
   * @param later runs one part of many, for which there may be other work first
   */
  recheck(later: (part: () => void) => void): void {
    const attach = (key: ObjectKey): void => {
      if (!this.#followers.has(keyText(key))) this.check(key);
    };
    this.#folders.rescan((key) => later(() => attach(key)));
    for (const { key } of this.#followers.values()) {
      later(() => {
        this.check(key);
        const follower = this.#followers.get(keyText(key));
        if (follower !== undefined) this.#publishUnreachable(follower);
      });
    }
  }

  /** True when the log has subscribers. Any Event of the namespace may be in it: its name does not show its Pod. */
  #isWanted(key: ObjectKey): boolean {
    const { subscribers } = this.#options;
    return subscribers.hasFor('pods', key) || subscribers.hasSomeIn('events', key.namespace);
  }

  #attach(key: ObjectKey, from: 'start' | 'end'): Follower | undefined {
    const { root, logs, readPod } = this.#options;
    // Opens the log before the watch starts: if another log replaces this one meanwhile, `look` finds out.
    const log = logs.current(key);
    if (log === undefined) return undefined;
    const watcher = watchPath(podPaths(root, key.namespace, key.name).transitions, this.#lookSoon(key));
    log.follow(from);
    // The watch started before this: every later line is reported.
    logs.look(key, log);
    if (from === 'end') log.take();
    const pod = from === 'end' ? readPod(key) : undefined;
    const follower: Follower = { key, log, watcher, pod, deletedPod: undefined, isOwn: false };
    this.#followers.set(keyText(key), follower);
    return follower;
  }

  /** Looks at a Pod once for all that the file system reports in one turn: mostly writes of this process. */
  #lookSoon(key: ObjectKey): () => void {
    let isPlanned = false;
    const look = (): void => {
      isPlanned = false;
      ifPossible(() => this.check(key));
    };
    return () => {
      if (!isPlanned) nextEventLoopTurn(look);
      isPlanned = true;
    };
  }

  #detach(follower: Follower): void {
    follower.watcher.close();
    this.#options.logs.unfollow(follower.key, follower.log);
    this.#followers.delete(keyText(follower.key));
  }

  /** Ends a log that is no longer in its place. Its last line may be missing: then reports the deletion here. */
  #finish(follower: Follower): void {
    // A listener may have called this method already.
    if (this.#followers.get(keyText(follower.key)) !== follower) return;
    this.#detach(follower);
    const { pod, deletedPod } = follower;
    if (deletedPod !== undefined)
      this.#options.subscribers.enqueueIfNew('pods', { type: 'DELETED', object: deletedPod });
    else if (pod !== undefined) this.#options.subscribers.enqueue('pods', { type: 'DELETED', object: pod });
    this.#options.subscribers.flush();
  }

  #report(follower: Follower): void {
    for (let lines = follower.log.take(); lines.length > 0; lines = follower.log.take()) {
      for (const line of lines) this.#take(line, follower);
      this.#options.subscribers.flush();
    }
  }

  #take(line: Buffer, follower: Follower): void {
    const resource = isAboutEvent(line) ? 'events' : 'pods';
    if (resource === 'events' && !this.#options.subscribers.hasAnyOf('events')) return;
    const transition = parseTransition(line);
    if (transition === undefined) return;
    const object = transition.object as StoredObject;
    if (resource === 'pods' && !this.#isReported(follower, transition.type, object as StoredPod)) return;
    this.#options.subscribers.enqueueIfNew(resource, { type: transition.type, object });
  }

  /**
   * Notes a change of the Pod. Returns whether it can be reported now. A deletion waits until the folder is out of its
   * place: a listener that reads the store on that report must not find the Pod.
   */
  #isReported(follower: Follower, type: WatchEvent<StoredPod>['type'], pod: StoredPod): boolean {
    const { deletedPod } = follower;
    follower.deletedPod = type === 'DELETED' ? pod : undefined;
    if (type === 'DELETED') return false;
    // A mirror Pod that is made anew stays in its folder.
    if (deletedPod !== undefined && deletedPod.metadata.uid !== pod.metadata.uid)
      this.#options.subscribers.enqueueIfNew('pods', { type: 'DELETED', object: deletedPod });
    follower.pod = pod;
    return true;
  }

  /**
   * Reports a Pod whose owner has died or is silent, once. No line in the log says so: readers find phase Unknown, and
   * watchers shall find it too. An owner that responds again need not write a line either.
   */
  #publishUnreachable(follower: Follower): void {
    const last = follower.pod;
    if (last === undefined || isTerminalPhase(last.status.phase)) return;
    const reported = last.status;
    if (!isUnreachable(reported) && (reported.phase === 'Unknown' || !this.#isOutOfReach(follower, last))) return;
    const pod = this.#options.readPod(follower.key);
    if (pod === undefined || isSameJson(pod.status, reported)) return;
    // A line of the log reports any other change.
    if (!isUnreachable(reported) && pod.status.phase !== 'Unknown') return;
    follower.pod = pod;
    this.#options.subscribers.enqueue('pods', { type: 'MODIFIED', object: pod });
    this.#options.subscribers.flush();
  }

  #isOutOfReach(follower: Follower, pod: StoredPod): boolean {
    if (follower.isOwn) return false;
    const reach = this.#options.reachOf(pod);
    follower.isOwn = reach === 'self';
    return reach === 'out of reach';
  }
}

/** The Pods whose logs contain the changes for a subscriber. The name of an Event does not show its Pod. */
function podScope({ resource, scope }: Subscriber): Scope {
  return { namespace: scope.namespace, name: resource === 'pods' ? scope.name : undefined };
}
