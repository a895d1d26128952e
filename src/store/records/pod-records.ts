import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import { allContainers, controllerOf, isTerminalPhase, type StoredPod } from '../../api/index.ts';
import { inFolder, writePrivateFile } from '../disk/atomic-file.ts';
import { errorCode, ifPossible } from '../disk/disk-errors.ts';
import { eventsIn } from './event-records.ts';
import type { PlainRecords } from './plain-records.ts';
import { agentPaths, pathsInPodFolder, type PodPaths, podPaths } from '../base/layout.ts';
import { isRemnant, withoutGrace } from '../../lifecycle/index.ts';
import { keysIn } from '../disk/listing.ts';
import { asLost, asUnreachable } from '../owners/lost-owner.ts';
import {
  changedMetadata,
  checkPrecondition,
  checkUid,
  isSamePart,
  keyOf,
  newMetadata,
  type StoredObject,
} from '../base/metadata.ts';
import type { Owner, Ownership } from '../owners/ownership.ts';
import { checkRoom, keepReserve } from '../disk/reserve.ts';
import { RunArchive } from './run-archive.ts';
import type { StorageParts } from './storage.ts';
import type { ObjectKey, ObjectPart, Scope, Storable } from '../base/store.ts';
import { alreadyExists, notInStore } from '../base/store-errors.ts';
import type { LogEntry, PodLog, OpenPodLogs } from '../disk/pod-log.ts';
import { readPod, transitionLine } from '../disk/transition-log.ts';

/** A Pod that has not ended, and whose agent was killed. */
export interface LostPod {
  /** The Pod as readers see it. */
  readonly pod: StoredPod;
  /** The pid of its agent. */
  readonly agentPid: number;
  /** ID of the background agent that this process was. Another process may take its place. */
  readonly agent: string | undefined;
}

/** A new Pod in the staging area, with the first line of its log. */
interface StagedPod {
  readonly pod: StoredPod;
  readonly folder: string;
  readonly line: string;
  /** True when this process runs it. */
  readonly isOwned: boolean;
}

/**
 * The Pods, a folder each. A Pod is the last line about it in its transition log, which has every state of the Pod,
 * whole and in order. Clients change metadata and spec, the agent the status, under the lock of the Pod: so neither
 * overwrites what the other has written.
 */
export class PodRecords {
  readonly #parts: StorageParts;
  readonly #ownership: Ownership;
  readonly #archive: RunArchive;
  readonly #logs: OpenPodLogs;
  readonly #plain: PlainRecords;

  constructor(parts: StorageParts, ownership: Ownership, logs: OpenPodLogs, plain: PlainRecords) {
    this.#parts = parts;
    this.#ownership = ownership;
    this.#logs = logs;
    this.#plain = plain;
    this.#archive = new RunArchive(parts);
  }

  /** The Pod as readers see it: its phase is Unknown when its owner is gone or silent. */
  get(namespace: string, name: string): StoredPod | undefined {
    const pod = this.#logs.read({ namespace, name });
    if (pod === undefined || this.#ownership.isOwn(pod)) return pod;
    const owner = this.#ownership.ownerOf(namespace, name);
    if (owner === undefined) return pod;
    const state = this.#ownership.stateOf(owner);
    if (state === 'alive') return pod;
    if (state === 'gone') return asLost(pod, owner);
    return asUnreachable(pod, this.#ownership.describe(owner), this.#ownership.leaseOf(owner)?.renewedMs);
  }

  list(scope: Scope): StoredPod[] {
    return keysIn(this.#parts.root, 'pods', scope).flatMap(({ namespace, name }) => this.get(namespace, name) ?? []);
  }

  /**
   * Pods whose agent was killed before they ended, or before it removed them. Pods of background agents are left out:
   * another process takes over.
   */
  lost(): LostPod[] {
    return keysIn(this.#parts.root, 'pods', {}).flatMap(({ namespace, name }) => {
      const agent = this.#ownership.lostOwnerOf(namespace, name);
      const pod = agent === undefined ? undefined : this.get(namespace, name);
      if (agent === undefined || pod === undefined) return [];
      if (isTerminalPhase(pod.status.phase) && !isRemnant(pod)) return [];
      if (agent.agent !== undefined && existsSync(agentPaths(this.#parts.root, agent.agent).settings)) return [];
      return [{ pod, agentPid: agent.pid, agent: agent.agent }];
    });
  }

  /** The addresses of Pods that have an owner, alive or not. Reads only the Pods of other processes. */
  addressesInUse(): string[] {
    return keysIn(this.#parts.root, 'pods', {}).flatMap(({ namespace, name }) => {
      const paths = podPaths(this.#parts.root, namespace, name);
      const own = this.#logs.ownLog({ namespace, name });
      if (own !== undefined) return own.podIP() ?? [];
      return (existsSync(paths.owner) ? readPod(paths.transitions)?.status.podIP : undefined) ?? [];
    });
  }

  /** The Pods that other agents run, also a background agent that is to be replaced. */
  ofOthers(): StoredPod[] {
    return keysIn(this.#parts.root, 'pods', {}).flatMap(({ namespace, name }) => {
      if (this.#logs.ownLog({ namespace, name }) !== undefined) return [];
      const owner = this.#ownership.ownerOf(namespace, name);
      if (owner === undefined || (owner.agent === undefined && this.#ownership.stateOf(owner) === 'gone')) return [];
      return this.#logs.read({ namespace, name }) ?? [];
    });
  }

  /** @param owner the process that runs the Pod. Undefined: none does yet */
  create(object: Storable, owner?: Owner): StoredPod {
    const key = keyOf(object);
    return this.#logs.lock(key, (log) => {
      if (log?.pod() !== undefined) throw alreadyExists('pods', key.name);
      if (owner !== undefined) checkRoom(this.#parts.root);
      return this.#putInPlace(this.#stage(object, owner), this.#paths(key).folder);
    });
  }

  update(object: Storable): StoredPod {
    return this.#replace(keyOf(object), (stored) => this.#withObject(stored, object as StoredPod));
  }

  updateStatus(object: Storable): StoredPod {
    return this.#replace(keyOf(object), (stored) => this.#withStatus(stored, object as StoredPod));
  }

  change(key: ObjectKey, part: ObjectPart, change: (stored: StoredPod) => StoredPod): StoredPod {
    return this.#replace(key, (stored) => {
      const changed = change(stored);
      checkPrecondition('pods', changed.metadata, stored.metadata);
      if (isSamePart(part, changed, stored)) return stored;
      if (part === 'status') return this.#withStatus(stored, changed);
      const whole = this.#withObject(stored, changed);
      return part === 'both' ? { ...whole, status: changed.status } : whole;
    });
  }

  bind(key: ObjectKey, bind: (stored: StoredPod) => StoredPod): StoredPod {
    return this.#replace(key, (stored) => {
      const bound = bind(stored);
      return { ...this.#withObject(stored, bound), status: bound.status };
    });
  }

  /**
   * Moves a Pod out of its place. The run of a Pod that has a controller goes to the history: its log may not have been
   * read before the controller deleted it. The Events stay, as in a cluster. `discard` removes what does not stay.
   */
  remove(key: ObjectKey): { pod: StoredPod; events: readonly StoredObject[]; discard(): void } | undefined {
    const { staging } = this.#parts;
    return this.#logs.lockToMove(key, (log) => {
      const stored = log?.pod();
      if (log === undefined || stored === undefined) return undefined;
      const paths = this.#paths(key);
      const pod = this.#logDeletion(log, stored);
      const events = eventsIn(paths.transitions);
      // Before the move: a reader looks into the log first, and finds them there or here. A full disk keeps none.
      ifPossible(() => {
        for (const event of events) this.#plain.keep('events', event);
      });
      const forget = controllerOf(pod) && this.#archive.takeGone(pod, paths);
      const folder = forget === undefined ? staging.moveToStaging(paths.folder) : '';
      return { pod, events, discard: forget ?? (() => staging.discard(folder)) };
    });
  }

  /**
   * Replaces a mirror Pod by a new one, with a uid of its own. Its status and all else in the folder stay: the static
   * Pod keeps running. Returns undefined when the mirror Pod is gone, or another one by now.
   */
  renew({ metadata: { uid, ...key } }: StoredPod): StoredPod | undefined {
    const { clock, versions } = this.#parts;
    return this.#logs.lock(key, (log) => {
      const stored = log?.pod();
      if (log === undefined || stored?.metadata.uid !== uid) return undefined;
      const { metadata, ...rest } = withoutGrace(stored, clock.now().wallMs);
      const deleted = { ...rest, metadata: { ...metadata, resourceVersion: versions.next(metadata.resourceVersion) } };
      const fresh = { ...stored.metadata, uid: '', creationTimestamp: '' };
      const pod = { ...stored, metadata: { ...newMetadata(fresh, clock, versions), generation: 1 } };
      this.#append(log, ['DELETED', deleted], ['ADDED', pod]);
      return pod;
    });
  }

  /**
   * Starts a new run under the name of an old one: the old run moves to the history, and the new one takes its place,
   * owned by this process. Only the last step makes the new run visible. If it cannot be written, the old run stays.
   * Returns the owner of a Pod that still runs instead.
   */
  startRun(object: Storable, owner: Owner): { pod: StoredPod } | { runningUnder: Owner } {
    const key = keyOf(object);
    return this.#logs.lockToMove(key, (log) => {
      const paths = this.#paths(key);
      const present = this.#ownership.ownerOf(key.namespace, key.name);
      const old = log?.pod();
      const over = old === undefined || isTerminalPhase(old.status.phase);
      if (!over && present !== undefined && this.#ownership.stateOf(present) !== 'gone')
        return { runningUnder: present };
      checkRoom(this.#parts.root);
      const staged = this.#stage(object, owner);
      if (log !== undefined && old !== undefined) this.#archive.take(this.#logDeletion(log, old), paths)();
      return { pod: this.#putInPlace(staged, paths.folder) };
    });
  }

  #paths({ namespace, name }: ObjectKey): PodPaths {
    return podPaths(this.#parts.root, namespace, name);
  }

  /** Stores the changed Pod. Writes nothing when `change` returns the stored Pod itself. */
  #replace(key: ObjectKey, change: (stored: StoredPod) => StoredPod): StoredPod {
    return this.#logs.lock(key, (log) => {
      const stored = log?.pod();
      if (log === undefined || stored === undefined) throw notInStore('pods', key.name);
      const changed = change(stored);
      if (changed !== stored) this.#append(log, ['MODIFIED', changed]);
      return changed;
    });
  }

  #withObject(stored: StoredPod, given: StoredPod): StoredPod {
    const metadata = changedMetadata('pods', given.metadata, stored.metadata, this.#parts.versions);
    return { ...given, metadata, status: stored.status };
  }

  #withStatus(stored: StoredPod, given: StoredPod): StoredPod {
    checkUid('pods', given.metadata, stored.metadata);
    const resourceVersion = this.#parts.versions.next(stored.metadata.resourceVersion);
    return { ...stored, metadata: { ...stored.metadata, resourceVersion }, status: given.status };
  }

  #append(log: PodLog, ...entries: LogEntry[]): void {
    log.append(entries, this.#parts.clock.now().wallMs);
  }

  /** Writes a new Pod completely into the staging area. */
  #stage(object: Storable, owner: Owner | undefined): StagedPod {
    const { clock, versions, staging } = this.#parts;
    const metadata = { ...newMetadata(object.metadata, clock, versions), generation: object.metadata.generation || 1 };
    const { status = { phase: 'Pending' } } = object as StoredObject;
    const pod = { ...object, metadata, status } as StoredPod;
    const line = transitionLine('ADDED', pod, clock.now().wallMs);
    const folder = staging.newFolder();
    const paths = pathsInPodFolder(folder);
    try {
      writePrivateFile(paths.complete, '');
      writePrivateFile(paths.transitions, line);
      if (owner !== undefined) {
        writePrivateFile(paths.owner, JSON.stringify(owner));
        keepReserve(paths, allContainers(pod.spec).length);
      }
    } catch (error) {
      staging.discard(folder);
      throw error;
    }
    return { pod, folder, line, isOwned: owner !== undefined };
  }

  #putInPlace({ pod, folder, line, isOwned }: StagedPod, target: string): StoredPod {
    const { staging } = this.#parts;
    // The caller has checked that the Pod does not exist: this is left from a power failure, or put there by a user.
    if (existsSync(target)) staging.discard(staging.moveToStaging(target));
    inFolder(path.dirname(target), () => renameSync(folder, target));
    if (isOwned) this.#logs.holdNew(pod.metadata, line);
    return pod;
  }

  /** Writes the last line of a log: the deletion. Leaves it out on a full disk, since deleting makes room. */
  #logDeletion(log: PodLog, stored: StoredPod): StoredPod {
    const resourceVersion = this.#parts.versions.next(stored.metadata.resourceVersion);
    const pod = { ...stored, metadata: { ...stored.metadata, resourceVersion } };
    try {
      this.#append(log, ['DELETED', pod]);
    } catch (error) {
      if (!['ENOSPC', 'EDQUOT', 'ENOENT'].includes(errorCode(error) ?? '')) throw error;
    }
    return pod;
  }
}
