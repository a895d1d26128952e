import { isProcess } from '../disk/stored-json.ts';
import { existsSync, rmSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { formatTime, isTerminalPhase, resolvedUid, type StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { inFolder, readJsonFile, writeFileAtomically } from '../disk/atomic-file.ts';
import { ifPresent, onDisk } from '../disk/disk-errors.ts';
import type { FileLocks } from '../disk/file-lock.ts';
import {
  distanceOf,
  isSelf,
  type KnownProcess,
  knownProcess,
  presenceOf,
  type ProcessLookup,
} from '../disk/known-process.ts';
import type { Lease, Leases } from './leases.ts';
import { ownerPath, podPaths } from '../base/layout.ts';
import type { OpenPodLogs } from '../disk/pod-log.ts';
import type { RecordPlace } from '../base/record-place.ts';
import { spendReserve } from '../disk/reserve.ts';
import { keyText } from '../disk/listing.ts';
import { notInStore } from '../base/store-errors.ts';
import type { ObjectKey, Resource } from '../base/store.ts';

/** The agent that runs a Pod, or the controllers of a workload. */
export interface Owner extends KnownProcess {
  /** The command of the user, for messages: `podrun apply -f pod.yaml`. */
  readonly command?: string | undefined;
  /** Start of the ownership, RFC 3339. */
  readonly since: string;
  /** ID of the background agent. Undefined for an agent in the foreground, whose Pods end with it. */
  readonly agent?: string | undefined;
  /** The name of its machine or container, for messages. */
  readonly host?: string | undefined;
  /** True for a process that has yet to create the object: see `reserve`. */
  readonly isReserved?: boolean;
  /** True when the owner of a Service serves it. */
  readonly isServing?: boolean;
}

/**
 * The state of an owner. An `alive` owner runs its Pods. A `silent` one has not renewed its lease in time, or has no
 * lease and is in another PID namespace or on another machine. It may come back: only a forced deletion removes its
 * Pods. An owner that is `gone` never comes back.
 */
export type OwnerState = 'alive' | 'silent' | 'gone';

/** self: this process owns the Pod. out of reach: the owner is gone or silent. */
export type OwnerReach = 'none' | 'self' | 'alive' | 'out of reach';

export type Claim =
  | {
      readonly ok: true;
      /** Gives up a Pod that has ended or is removed. */
      readonly release: () => void;
    }
  /** Another process, which is not gone, owns the Pod. */
  | { readonly ok: false; readonly owner: Owner };

/** The start of a new run: the Pod, owned by this process, or the owner under which a Pod of that name runs. */
export type RunStart =
  | { readonly ok: true; readonly pod: StoredPod; readonly release: () => void }
  | { readonly ok: false; readonly owner: Owner };

interface OwnershipParts {
  readonly root: string;
  readonly clock: Clock;
  readonly lookup: ProcessLookup;
  readonly locks: FileLocks;
  readonly records: RecordPlace;
  readonly leases: Leases;
  readonly logs: OpenPodLogs;
}

/** The owners of Pods and workloads on record, for the parts of the store. Other rooms have {@link Owners}. */
export class Ownership {
  readonly #parts: OwnershipParts;
  /** The Pods that this process owns, by namespace and name: no other process takes them away. */
  readonly #own = new Map<string, { readonly uid: string; readonly owner: Owner }>();

  constructor(parts: OwnershipParts) {
    this.#parts = parts;
  }

  /** This process as an owner. */
  self(command: string | undefined, agent?: string): Owner {
    const { clock, lookup } = this.#parts;
    const own = { ...knownProcess(process.pid, lookup), host: lookup.hostName?.() };
    return { ...own, command, since: formatTime(clock.now().wallMs), agent };
  }

  stateOf(owner: Owner): OwnerState {
    const { lookup } = this.#parts;
    if (isSelf(owner, lookup)) return 'alive';
    const presence = presenceOf(owner, lookup);
    if (presence === 'gone' && owner.bootId === lookup.bootId()) return 'gone';
    const lease = this.leaseOf(owner);
    // Copied machines have one machine ID, and look like boots of one machine: a fresh lease proves that both run.
    if (lease !== undefined && !lease.isExpired) return 'alive';
    if (presence === 'gone') return 'gone';
    return presence === 'exists' && lease === undefined ? 'alive' : 'silent';
  }

  leaseOf(owner: Owner): Lease | undefined {
    return this.#parts.leases.leaseOf(owner);
  }

  /** An owner and its place, for messages: `process 17 in another PID namespace (host dev-1)`. */
  describe(owner: Owner): string {
    const distance = distanceOf(owner, this.#parts.lookup);
    if (distance === undefined) return `process ${owner.pid}`;
    const host = owner.host === undefined ? '' : ` (host ${owner.host})`;
    return `process ${owner.pid} ${distance === 'another machine' ? 'on' : 'in'} ${distance}${host}`;
  }

  /** The current or last owner of the object, alive or not. Undefined for one that no agent has taken up yet. */
  ownerOf(namespace: string, name: string, resource: Resource = 'pods'): Owner | undefined {
    const file = ownerPath(this.#parts.root, resource, namespace, name);
    // Most recorded Pods have ended and have no owner: existsSync is far cheaper than a failing read.
    return existsSync(file) ? readJsonFile<Owner>(file, isProcess) : undefined;
  }

  /** Notes that this process owns the Pod from now on. Its owner file says the same. */
  took(pod: StoredPod, owner: Owner): void {
    this.#own.set(keyText(pod.metadata), { uid: resolvedUid(pod), owner });
    this.#parts.logs.hold(pod.metadata);
  }

  /** True for a Pod that this process owns: there is no need to look at its owner. */
  isOwn(pod: StoredPod): boolean {
    return this.#own.get(keyText(pod.metadata))?.uid === resolvedUid(pod);
  }

  /** The owner, if it is gone. */
  lostOwnerOf(namespace: string, name: string): Owner | undefined {
    const owner = this.ownerOf(namespace, name);
    return owner !== undefined && this.stateOf(owner) === 'gone' ? owner : undefined;
  }

  /** The reach of the owner of a Pod. `none`: it has no owner. */
  reachOf(pod: StoredPod): OwnerReach {
    if (this.isOwn(pod)) return 'self';
    const owner = this.ownerOf(pod.metadata.namespace, pod.metadata.name);
    if (owner === undefined) return 'none';
    if (isSelf(owner, this.#parts.lookup)) return 'self';
    return this.stateOf(owner) === 'alive' ? 'alive' : 'out of reach';
  }

  /**
   * Makes this process the owner, unless another one that is not gone owns the object. Of several that try at once, one
   * succeeds.
   * @throws {PodrunError} when the object is gone
   */
  claim(resource: Resource, { namespace, name }: ObjectKey, command: string | undefined, agent?: string): Claim {
    const owner = this.self(command, agent);
    const { locks, records } = this.#parts;
    const living = locks.hold(resource, { namespace, name }, () => {
      const present = this.ownerOf(namespace, name, resource);
      const isMine = present?.isReserved === true && isSelf(present, this.#parts.lookup);
      if (present !== undefined && !isMine && this.stateOf(present) !== 'gone') return present;
      const pod = resource === 'pods' ? this.#parts.logs.read({ namespace, name }) : undefined;
      const stored = resource === 'pods' ? pod : records.versionOf(resource, { namespace, name });
      if (stored === undefined) throw notInStore(resource, name);
      this.#record(resource, { namespace, name }, owner);
      if (pod !== undefined) this.took(pod, owner);
      return undefined;
    });
    if (living !== undefined) return { ok: false, owner: living };
    if (resource === 'pods') return { ok: true, release: () => this.release(namespace, name, owner) };
    return { ok: true, release: () => this.#releaseWorkload(resource, { namespace, name }, owner) };
  }

  /**
   * Makes this process the owner of an object that it is about to create: no other process can claim the object before
   * this process does.
   */
  reserve(resource: Resource, key: ObjectKey, command: string | undefined): void {
    const owner = { ...this.self(command), isReserved: true };
    this.#parts.locks.hold(resource, key, () => {
      const present = this.ownerOf(key.namespace, key.name, resource);
      if (present === undefined || this.stateOf(present) === 'gone') this.#record(resource, key, owner);
    });
  }

  /** Records that this process serves the object, if it owns it. */
  markServing(resource: Resource, key: ObjectKey): void {
    const file = ownerPath(this.#parts.root, resource, key.namespace, key.name);
    if (!existsSync(file)) return;
    this.#parts.locks.hold(resource, key, () => {
      const present = this.ownerOf(key.namespace, key.name, resource);
      if (present === undefined || present.isServing === true || !isSelf(present, this.#parts.lookup)) return;
      this.#record(resource, key, { ...present, isServing: true });
    });
  }

  /** Removes the record of the owner of an object that is being removed. A Pod's goes with its folder. */
  forget(resource: Resource, { namespace, name }: ObjectKey): void {
    if (resource !== 'pods') rmSync(ownerPath(this.#parts.root, resource, namespace, name), { force: true });
  }

  /**
   * Removes the owner from the record, unless the Pod has another owner by now or is gone. A Pod without a recorded end
   * keeps its owner: once this owner is gone, readers see phase Unknown, and the next command closes the record.
   */
  release(namespace: string, name: string, owner: Owner): void {
    const own = this.#own.get(keyText({ namespace, name }))?.owner;
    // Another run of this process may have the name by now.
    if (own !== undefined && own !== owner) return;
    this.#own.delete(keyText({ namespace, name }));
    const { root, logs } = this.#parts;
    const paths = podPaths(root, namespace, name);
    // Taking the lock would make folders again while another process removes the state folder.
    if (logs.mayHave({ namespace, name })) {
      logs.lockToMove({ namespace, name }, (log) => {
        if (!isTerminalPhase(log?.pod()?.status.phase)) return;
        const present = own ?? this.ownerOf(namespace, name);
        if (present?.pid !== owner.pid || present.since !== owner.since) return;
        ifPresent(() => unlinkSync(paths.owner));
        spendReserve(paths);
      });
    }
    logs.letGo({ namespace, name });
  }

  /** A workload rests when it has no owner: that is no loss. */
  #releaseWorkload(resource: Resource, { namespace, name }: ObjectKey, owner: Owner): void {
    const file = ownerPath(this.#parts.root, resource, namespace, name);
    if (!existsSync(file)) return;
    this.#parts.locks.hold(resource, { namespace, name }, () => {
      const present = this.ownerOf(namespace, name, resource);
      if (present?.pid === owner.pid && present.since === owner.since) rmSync(file, { force: true });
    });
  }

  #record(resource: Resource, { namespace, name }: ObjectKey, owner: Owner): void {
    const file = ownerPath(this.#parts.root, resource, namespace, name);
    inFolder(path.dirname(file), () => writeFileAtomically(file, JSON.stringify(owner)));
  }
}

/**
 * Which process runs which object, for readers of the store and for processes that take one over. Each method throws a
 * PodrunError for trouble with the disk.
 */
export class Owners {
  readonly #root: string;
  readonly #ownership: Ownership;

  constructor(root: string, ownership: Ownership) {
    this.#root = root;
    this.#ownership = ownership;
  }

  /** The current or last owner of a Pod or workload. Undefined before it is taken up, and after it was given up. */
  of(namespace: string, name: string, resource: Resource = 'pods'): Owner | undefined {
    return this.#onDisk(() => this.#ownership.ownerOf(namespace, name, resource));
  }

  /** Tells whether an owner is alive, silent or gone. */
  stateOf(owner: Owner): OwnerState {
    return this.#onDisk(() => this.#ownership.stateOf(owner));
  }

  /** True unless the object has no owner or an owner that is certainly gone. */
  isOwned(namespace: string, name: string, resource: Resource = 'pods'): boolean {
    const owner = this.of(namespace, name, resource);
    return owner !== undefined && this.stateOf(owner) !== 'gone';
  }

  /** An owner and its location, for messages: `process 17 on another machine (host lab-2)`. */
  describe(owner: Owner): string {
    return this.#ownership.describe(owner);
  }

  /**
   * Makes this process the owner of a Pod or workload without an owner, or whose owner is certainly gone.
   * @param command the command of the user, for messages
   * @param agent ID of the background agent that this process is
   * @throws {PodrunError} when the object is gone
   */
  claim(resource: Resource, key: ObjectKey, command?: string, agent?: string): Claim {
    const claim = this.#onDisk(() => this.#ownership.claim(resource, key, command, agent));
    return claim.ok ? { ok: true, release: () => this.#onDisk(claim.release) } : claim;
  }

  /** See {@link Ownership.reserve}. */
  reserve(resource: Resource, key: ObjectKey, command: string): void {
    this.#onDisk(() => this.#ownership.reserve(resource, key, command));
  }

  /** Records that this process serves a Service that it owns. */
  markServing({ namespace, name }: ObjectKey): void {
    this.#onDisk(() => this.#ownership.markServing('services', { namespace, name }));
  }

  #onDisk<T>(run: () => T): T {
    return onDisk(`the state folder ${this.#root}`, run);
  }
}
