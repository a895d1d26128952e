import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import { allContainers, controllerOf, isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { inFolder, writeFileAtomically, writePrivateFile } from '../disk/atomic-file.ts';
import { errorCode } from '../disk/disk-errors.ts';
import { agentPaths, pathsInPodFolder, type PodPaths, podPaths } from '../layout.ts';
import { isRemnant, withoutGrace } from '../../lifecycle/requests/deletion.ts';
import { keysIn } from './listing.ts';
import { asLost, asUnreachable } from '../owners/lost-owner.ts';
import {
  changedMetadata,
  checkPrecondition,
  checkUid,
  isSamePart,
  keyOf,
  newMetadata,
  type StoredObject,
} from '../metadata.ts';
import type { Owner, Ownership } from '../owners/ownership.ts';
import { LOST_STATUS, objectText, readPodFolder, readStatus, statusText } from './pod-folder.ts';
import { checkRoom, keepReserve } from '../disk/reserve.ts';
import { RunArchive } from './run-archive.ts';
import type { StorageParts } from '../storage.ts';
import type { ObjectKey, ObjectPart, Scope, Storable } from '../store.ts';
import { alreadyExists, notInStore } from '../store-errors.ts';
import { appendTransition, transitionLine } from '../feed/transition-log.ts';

const REPLACED_MEANWHILE_MAX = 10;
/** A Pod that has not ended, and whose agent was killed. */
export interface LostPod {
  /** The Pod as readers see it. */
  readonly pod: StoredPod;
  /** The pid of its agent. */
  readonly agentPid: number;
  /** ID of the background agent that this process was. Another process may take its place. */
  readonly agent: string | undefined;
}

/**
 * The Pods, a folder each. Clients write `pod.json`, the agent `status.json`, so that neither overwrites the other.
 * Readers combine the two. Every change is stored and logged under the lock of the Pod: the transition log has every
 * state of the Pod, whole and in order.
 */
export class PodRecords {
  readonly #parts: StorageParts;
  readonly #ownership: Ownership;
  readonly #archive: RunArchive;
  /** Folders of Pods whose last change is stored but, on a full disk, not yet in the transition log. */
  readonly #unlogged = new Set<string>();

  constructor(parts: StorageParts, ownership: Ownership) {
    this.#parts = parts;
    this.#ownership = ownership;
    this.#archive = new RunArchive(parts);
  }

  /** The Pod as readers see it: its phase is Unknown when its owner is gone or silent. */
  get(namespace: string, name: string): StoredPod | undefined {
    const pod = this.#read(namespace, name);
    const owner = pod && this.#ownership.ownerOf(namespace, name);
    if (pod === undefined || owner === undefined) return pod;
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

  /** The addresses of Pods that have an owner, alive or not. Reads only the status of Pods with an owner. */
  addressesInUse(): string[] {
    return keysIn(this.#parts.root, 'pods', {}).flatMap(({ namespace, name }) => {
      const paths = podPaths(this.#parts.root, namespace, name);
      if (!existsSync(paths.owner)) return [];
      return readStatus(paths)?.podIP ?? [];
    });
  }

  /** @param owner the process that runs the Pod. Undefined: none does yet */
  create(object: Storable, owner?: Owner): StoredPod {
    const { namespace, name } = keyOf(object);
    return this.#locked(namespace, name, (paths) => {
      if (this.#read(namespace, name) !== undefined) throw alreadyExists('pods', name);
      if (owner !== undefined) checkRoom(this.#parts.root);
      const { pod, folder } = this.#stage(object, owner);
      this.#putInPlace(folder, paths.folder);
      return pod;
    });
  }

  update(object: Storable): StoredPod {
    const { namespace, name } = keyOf(object);
    return this.#locked(namespace, name, (paths) =>
      this.#writeObject(paths, this.#mustRead(namespace, name), object as StoredPod),
    );
  }

  updateStatus(object: Storable): StoredPod {
    const { namespace, name } = keyOf(object);
    return this.#locked(namespace, name, (paths) =>
      this.#writeStatus(paths, this.#mustRead(namespace, name), object as StoredPod),
    );
  }

  change({ namespace, name }: ObjectKey, part: ObjectPart, change: (stored: StoredPod) => StoredPod): StoredPod {
    return this.#locked(namespace, name, (paths) => {
      const stored = this.#mustRead(namespace, name);
      const changed = change(stored);
      checkPrecondition('pods', changed.metadata, stored.metadata);
      if (isSamePart(part, changed, stored) && !this.#unlogged.has(paths.folder)) return stored;
      if (part === 'both') return this.#writeBoth(paths, stored, changed);
      return part === 'status' ? this.#writeStatus(paths, stored, changed) : this.#writeObject(paths, stored, changed);
    });
  }

  bind({ namespace, name }: ObjectKey, bind: (stored: StoredPod) => StoredPod): StoredPod {
    return this.#locked(namespace, name, (paths) => {
      const stored = this.#mustRead(namespace, name);
      return this.#writeBoth(paths, stored, bind(stored));
    });
  }

  /**
   * Moves a Pod out of its place. The run of a Pod that has a controller goes to the history: nobody may have read its
   * log before the controller deleted it. `discard` removes what does not stay.
   */
  remove(namespace: string, name: string): { pod: StoredPod; discard(): void } | undefined {
    const { staging } = this.#parts;
    return this.#locked(namespace, name, (paths) => {
      const stored = this.#read(namespace, name);
      if (stored === undefined) return undefined;
      const pod = this.#logDeletion(stored, paths);
      const forget = controllerOf(pod) && this.#archive.takeGone(pod, paths);
      if (forget !== undefined) return { pod, discard: forget };
      const folder = staging.moveToStaging(paths.folder);
      return { pod, discard: () => staging.discard(folder) };
    });
  }

  /**
   * Replaces a mirror Pod by a new one, with a uid of its own. Its status and all else in the folder stay: the static
   * Pod goes on. Returns undefined when the mirror Pod is gone, or another one by now.
   */
  renew({ metadata: { namespace, name, uid } }: StoredPod): StoredPod | undefined {
    const { clock, versions } = this.#parts;
    return this.#locked(namespace, name, (paths) => {
      const stored = this.#read(namespace, name);
      if (stored?.metadata.uid !== uid) return undefined;
      const { wallMs } = clock.now();
      const { metadata, ...rest } = withoutGrace(stored, wallMs);
      const deleted = { ...rest, metadata: { ...metadata, resourceVersion: versions.next(metadata.resourceVersion) } };
      const fresh = { ...stored.metadata, uid: '', creationTimestamp: '' };
      const pod = { ...stored, metadata: { ...newMetadata(fresh, clock, versions), generation: 1 } };
      writeFileAtomically(paths.object, objectText(pod));
      const lines = transitionLine('DELETED', deleted, wallMs) + transitionLine('ADDED', pod, wallMs);
      appendTransition(paths.transitions, lines);
      return pod;
    });
  }

  /**
   * Starts a new run under the name of an old one: the old run moves to the history, and the new one takes its place,
   * owned by this process. Only the last step makes the new run visible. If it cannot be written, the old run stays.
   * Returns the owner of a Pod that still runs instead.
   */
  startRun(object: Storable, owner: Owner): { pod: StoredPod } | { runningUnder: Owner } {
    const { namespace, name } = keyOf(object);
    return this.#locked(namespace, name, (paths) => {
      const present = this.#ownership.ownerOf(namespace, name);
      const old = this.#read(namespace, name);
      const over = old === undefined || isTerminalPhase(old.status.phase);
      if (!over && present !== undefined && this.#ownership.stateOf(present) !== 'gone')
        return { runningUnder: present };
      checkRoom(this.#parts.root);
      const { pod, folder } = this.#stage(object, owner);
      if (old !== undefined) this.#archive.take(this.#logDeletion(old, paths), paths)();
      this.#putInPlace(folder, paths.folder);
      return { pod };
    });
  }

  #locked<T>(namespace: string, name: string, run: (paths: PodPaths) => T): T {
    const paths = podPaths(this.#parts.root, namespace, name);
    return this.#parts.locks.hold('pods', namespace, name, () => run(paths));
  }

  #writeObject(paths: PodPaths, stored: StoredPod, given: StoredPod): StoredPod {
    const metadata = changedMetadata('pods', given.metadata, stored.metadata, this.#parts.versions);
    const pod = { ...given, metadata, status: stored.status };
    this.#write(paths, pod, () => writeFileAtomically(paths.object, objectText(pod)));
    return pod;
  }

  #writeStatus(paths: PodPaths, stored: StoredPod, given: StoredPod): StoredPod {
    checkUid('pods', given.metadata, stored.metadata);
    const resourceVersion = this.#parts.versions.next(stored.metadata.resourceVersion);
    const pod = { ...stored, metadata: { ...stored.metadata, resourceVersion }, status: given.status };
    this.#write(paths, pod, () => writeFileAtomically(paths.status, statusText(pod)));
    return pod;
  }

  #writeBoth(paths: PodPaths, stored: StoredPod, given: StoredPod): StoredPod {
    const metadata = changedMetadata('pods', given.metadata, stored.metadata, this.#parts.versions);
    const pod = { ...given, metadata };
    this.#write(paths, pod, () => {
      writeFileAtomically(paths.object, objectText(pod));
      writeFileAtomically(paths.status, statusText(pod));
    });
    return pod;
  }

  #mustRead(namespace: string, name: string): StoredPod {
    const pod = this.#read(namespace, name);
    if (pod === undefined) throw notInStore('pods', name);
    return pod;
  }

  /** Combines the two files. Reads again when another process replaced the run between the two reads. */
  #read(namespace: string, name: string): StoredPod | undefined {
    const paths = podPaths(this.#parts.root, namespace, name);
    for (let attempt = 0; attempt < REPLACED_MEANWHILE_MAX; attempt++) {
      const pod = readPodFolder(paths);
      if (pod?.status !== LOST_STATUS) return pod;
    }
    return readPodFolder(paths);
  }

  /**
   * Stores a change, then logs it: a reader of the line finds a state at least as new. On a full disk the change may be
   * stored without a line. The change then fails, and a repetition of the same change writes the line.
   */
  #write(paths: PodPaths, pod: StoredPod, store: () => void): void {
    store();
    this.#unlogged.add(paths.folder);
    appendTransition(paths.transitions, transitionLine('MODIFIED', pod, this.#parts.clock.now().wallMs));
    this.#unlogged.delete(paths.folder);
  }

  /** Writes a new Pod completely into the staging area. */
  #stage(object: Storable, owner: Owner | undefined): { pod: StoredPod; folder: string } {
    const { clock, versions, staging } = this.#parts;
    const metadata = { ...newMetadata(object.metadata, clock, versions), generation: object.metadata.generation || 1 };
    const { status = { phase: 'Pending' } } = object as StoredObject;
    const pod = { ...object, metadata, status } as StoredPod;
    const folder = staging.newFolder();
    const paths = pathsInPodFolder(folder);
    try {
      writePrivateFile(paths.object, objectText(pod));
      writePrivateFile(paths.status, statusText(pod));
      writePrivateFile(paths.complete, '');
      writePrivateFile(paths.transitions, transitionLine('ADDED', pod, clock.now().wallMs));
      if (owner !== undefined) {
        writePrivateFile(paths.owner, JSON.stringify(owner));
        keepReserve(paths, allContainers(pod.spec).length);
      }
    } catch (error) {
      staging.discard(folder);
      throw error;
    }
    return { pod, folder };
  }

  #putInPlace(folder: string, target: string): void {
    const { staging } = this.#parts;
    // The caller has checked that no Pod is there: this is left from a power failure, or put there by hand.
    if (existsSync(target)) staging.discard(staging.moveToStaging(target));
    inFolder(path.dirname(target), () => renameSync(folder, target));
  }

  /** Writes the last line of a log: the deletion. Leaves it out on a full disk, since deleting makes room. */
  #logDeletion(stored: StoredPod, paths: PodPaths): StoredPod {
    const resourceVersion = this.#parts.versions.next(stored.metadata.resourceVersion);
    const pod = { ...stored, metadata: { ...stored.metadata, resourceVersion } };
    try {
      appendTransition(paths.transitions, transitionLine('DELETED', pod, this.#parts.clock.now().wallMs));
    } catch (error) {
      if (!['ENOSPC', 'EDQUOT', 'ENOENT'].includes(errorCode(error) ?? '')) throw error;
    }
    return pod;
  }
}
