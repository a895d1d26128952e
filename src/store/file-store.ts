import { existsSync, rmSync } from 'node:fs';
import type { KubeObject, StoredPod, WatchEvent } from '../api/index.ts';
import type { Clock } from '../clock.ts';
import { ifPossible, onDisk } from './disk/disk-errors.ts';
import { areAboutOnePod, EventRecords } from './records/event-records.ts';
import { FileLocks } from './disk/file-lock.ts';
import { type ProcessLookup, withCachedIds } from './disk/known-process.ts';
import { LastApplied } from './records/last-applied.ts';
import { type PodPaths, podPaths } from './base/layout.ts';
import { Leases } from './owners/leases.ts';
import type { MemoryArea, MemoryMounts } from './disk/memory-folders.ts';
import type { StoredObject } from './base/metadata.ts';
import { type Owner, Owners, Ownership, type RunStart } from './owners/ownership.ts';
import { PodProcesses } from './owners/pod-processes.ts';
import { claimFolder, removeDisk, removeVolumeData } from './records/claim-folders.ts';
import { PlainRecords } from './records/plain-records.ts';
import { OpenPodLogs } from './disk/pod-log.ts';
import { type LostPod, PodRecords } from './records/pod-records.ts';
import { RecentReads } from './recent-reads.ts';
import { spendReserve } from './disk/reserve.ts';
import { VersionSource } from './base/resource-version.ts';
import { RecordFiles } from './records/record-files.ts';
import type { RecordPlace } from './base/record-place.ts';
import { StagingArea, type StorageParts } from './records/storage.ts';
import type { ObjectKey, ObjectPart, Resource, Scope, Storable, Store, Subscription } from './base/store.ts';
import type { ChangeListener } from './feed/subscribers.ts';
import { Watches } from './feed/watches.ts';

export interface FileStoreOptions {
  /** The state folder. It need not exist. */
  readonly root: string;
  readonly clock: Clock;
  readonly processes: ProcessLookup;
  /** Mount points of tmpfs for folders in memory. Default: none, all folders are on the disk. See memory-folders.ts. */
  readonly memoryMountPoints?: readonly string[];
  /** Mounts volumes in memory with a size of their own there. Default: they have none. */
  readonly memoryMounts?: MemoryMounts | undefined;
  /** The place of all objects but Pods. Default: files. */
  readonly records?: RecordPlace | undefined;
}

/**
 * The store as files: see docs/architecture.md and layout.ts. Returned objects belong to the caller. Every method
 * throws a PodrunError for trouble with the disk; stored objects stay unchanged.
 */
export class FileStore implements Store {
  readonly root: string;
  readonly clock: Clock;
  readonly memory: MemoryArea;
  readonly leases: Leases;
  readonly owners: Owners;
  readonly podProcesses: PodProcesses;
  readonly recent: RecentReads;
  readonly #pods: PodRecords;
  readonly #events: EventRecords;
  readonly #plain: PlainRecords;
  readonly #ownership: Ownership;
  readonly #lastApplied: LastApplied;
  readonly #logs: OpenPodLogs;
  readonly #watches: Watches;
  readonly #parts: StorageParts;

  constructor({ root, clock, processes, memoryMountPoints = [], memoryMounts, ...given }: FileStoreOptions) {
    const lookup = withCachedIds(processes);
    const locks = new FileLocks(root, lookup);
    const staging = new StagingArea(root, lookup);
    const { records = new RecordFiles(root, locks, staging) } = given;
    const parts: StorageParts = { root, clock, locks, records, staging, versions: new VersionSource(clock) };
    this.root = root;
    this.clock = clock;
    this.recent = new RecentReads(this);
    this.#parts = parts;
    this.memory = { root, mountPoints: memoryMountPoints, processes: lookup, mounts: memoryMounts };
    this.leases = new Leases({ root, clock, lookup });
    this.#logs = new OpenPodLogs(root, locks);
    this.#ownership = new Ownership({ ...parts, lookup, leases: this.leases, logs: this.#logs });
    this.owners = new Owners(root, this.#ownership);
    this.podProcesses = new PodProcesses(root, lookup);
    this.#lastApplied = new LastApplied(root);
    this.#plain = new PlainRecords(parts);
    this.#pods = new PodRecords(parts, this.#ownership, this.#logs, this.#plain);
    this.#events = new EventRecords(parts, this.#plain, this.#logs);
    this.#watches = new Watches({
      root,
      clock,
      logs: this.#logs,
      readPod: ({ namespace, name }) => this.#pods.get(namespace, name),
      reachOf: (pod) => this.#ownership.reachOf(pod),
      records,
      read: (resource, { namespace, name }) => this.#plain.get(resource, namespace, name),
    });
  }

  /** The files of a Pod that are not objects: logs, volumes, … */
  paths(namespace: string, name: string): PodPaths {
    return podPaths(this.root, namespace, name);
  }

  get<T extends Storable = KubeObject>(resource: Resource, namespace: string, name: string): T | undefined {
    return this.#onDisk(() => {
      if (resource === 'pods')
        return this.#watches.ensurePodFollowed({ namespace, name }, this.#pods.get(namespace, name));
      if (resource === 'events') return this.#events.list({ namespace, name })[0];
      return this.#plain.get(resource, namespace, name);
    }) as T | undefined;
  }

  list<T extends Storable = KubeObject>(resource: Resource, scope: Scope = {}): T[] {
    return this.#onDisk((): StoredObject[] => {
      if (resource === 'pods') {
        return this.#pods.list(scope).flatMap((pod) => this.#watches.ensurePodFollowed(pod.metadata, pod) ?? []);
      }
      if (resource === 'events') return this.#events.list(scope);
      return this.#plain.list(resource, scope);
    }) as Storable[] as T[];
  }

  create<T extends Storable>(resource: Resource, object: T): T {
    const created = this.#onDisk((): StoredObject => {
      if (resource === 'pods') return this.#pods.create(object);
      if (resource === 'events') return this.#events.create([object])[0]!;
      return this.#plain.create(resource, object);
    });
    this.#publish(resource, created);
    return created as Storable as T;
  }

  createAll<T extends Storable>(resource: Resource, objects: readonly T[]): T[] {
    if (resource !== 'events' || !areAboutOnePod(objects))
      return objects.map((object) => this.create(resource, object));
    const created = this.#onDisk(() => this.#events.create(objects));
    this.#watches.publish(resource, created);
    return created as Storable[] as T[];
  }

  /**
   * Stores the first objects of a resource in one step, all of one namespace. Where some are already, none is made.
   * Any kind but Pods and Events, before this process follows it.
   */
  createFirst(resource: Resource, namespace: string, make: () => readonly Storable[]): void {
    this.#onDisk(() => this.#plain.createFirst(resource, namespace, make));
    this.recent.written(resource);
  }

  update<T extends Storable>(resource: Resource, object: T): T {
    const updated = this.#onDisk((): StoredObject => {
      if (resource === 'pods') return this.#pods.update(object);
      if (resource === 'events') return this.#events.update(object);
      return this.#plain.update(resource, object);
    });
    this.#publish(resource, updated);
    return updated as Storable as T;
  }

  updateStatus<T extends Storable>(resource: Resource, object: T): T {
    const updated = this.#onDisk((): StoredObject => {
      return resource === 'pods' ? this.#pods.updateStatus(object) : this.#plain.updateStatus(resource, object);
    });
    this.#publish(resource, updated);
    return updated as Storable as T;
  }

  change<T extends Storable = KubeObject>(
    resource: Resource,
    key: ObjectKey,
    part: ObjectPart,
    change: (stored: T) => T,
    writer?: Subscription,
  ): T {
    const typedChange = change as unknown as (stored: StoredObject) => StoredObject;
    const changed = this.#onDisk((): StoredObject => {
      if (resource === 'pods') return this.#pods.change(key, part, typedChange as (stored: Storable) => StoredPod);
      if (resource === 'events') return this.#events.change(key, typedChange);
      return this.#plain.change(resource, key, part, typedChange);
    });
    this.#watches.skipOwnWrite(writer, changed);
    this.#publish(resource, changed);
    return changed as Storable as T;
  }

  /**
   * Stores a copy of an object of another API server: object and status in one step, whether there was one of its name
   * or not. Pods have `startRun` and `bind`, Events `create` and `update`.
   */
  mirror<T extends Storable>(resource: Exclude<Resource, 'pods' | 'events'>, object: T): T {
    const put = this.#onDisk(() => this.#plain.put(resource, object));
    this.recent.written(resource);
    this.#watches.written(resource, put);
    return put as Storable as T;
  }

  bind(key: ObjectKey, bind: (stored: StoredPod) => StoredPod, writer?: Subscription): StoredPod {
    const bound = this.#onDisk(() => this.#pods.bind(key, bind));
    this.#watches.skipOwnWrite(writer, bound);
    this.#watches.publish('pods', [bound]);
    return bound;
  }

  spendReserve({ namespace, name }: ObjectKey): boolean {
    return this.#onDisk(() => spendReserve(this.paths(namespace, name)));
  }

  /** Notes that something of the Pod could not be written down. That takes no room. */
  markIncomplete({ namespace, name }: ObjectKey): void {
    ifPossible(() => rmSync(this.paths(namespace, name).complete, { force: true }));
  }

  /** False when something of the Pod, which is on record, could not be written down. */
  isComplete({ namespace, name }: ObjectKey): boolean {
    const { folder, complete } = this.paths(namespace, name);
    return existsSync(complete) || !existsSync(folder);
  }

  delete(resource: Resource, namespace: string, name: string, writer?: Subscription): KubeObject | undefined {
    this.#onDisk(() => this.#lastApplied.forget(resource, { namespace, name }));
    if (resource === 'pods') return this.#deletePod({ namespace, name }, writer);
    const deleted = this.#onDisk(() => {
      this.#ownership.forget(resource, { namespace, name });
      if (resource === 'events') return this.#events.delete(namespace, name);
      return this.#plain.delete(resource, namespace, name);
    });
    if (deleted === undefined) return undefined;
    if (resource === 'persistentvolumes') this.#onDisk(() => removeVolumeData(this.#parts, deleted));
    if (resource === 'nodes') this.#onDisk(() => removeDisk(this.#parts, deleted));
    this.recent.written(resource);
    this.#watches.skipOwnWrite(writer, deleted);
    this.#watches.publish(resource, [deleted]);
    return deleted as KubeObject | undefined;
  }

  /**
   * Deletes a mirror Pod, and makes it anew at once: the static Pod keeps running. Returns the new one. Undefined: the
   * mirror Pod is gone, or another one by now.
   */
  renewMirror(pod: StoredPod): StoredPod | undefined {
    const renewed = this.#onDisk(() => this.#pods.renew(pod));
    if (renewed !== undefined) this.#watches.publish('pods', [renewed]);
    return renewed;
  }

  /** A resource version later than all that this process has written, and later than `known`. */
  nextVersion(known = 0): number {
    const { versions } = this.#parts;
    versions.passOver(known);
    return Number(versions.next());
  }

  claimFolder(key: ObjectKey, isOld: boolean): string {
    return claimFolder(this.root, key, isOld);
  }

  watch<T extends Storable = KubeObject>(
    resource: Resource,
    scope: Scope,
    listener: (event: WatchEvent<T>) => void,
    options: { readonly replay?: boolean } = {},
  ): Subscription {
    const watching = this.#onDisk(() => this.#watches.add(resource, scope, listener as ChangeListener));
    if (options.replay !== true) return watching.subscription;
    const isPlain = resource !== 'pods' && resource !== 'events';
    const present = this.#onDisk(() =>
      isPlain ? this.#watches.present(resource, scope) : this.list<StoredObject>(resource, scope),
    );
    for (const object of present) watching.sendPresent(object);
    return watching.subscription;
  }

  /**
   * Begins a new run of a Pod name: stores the Pod, owned by this process from the start. An older record of that name,
   * whose Pod has ended or whose owner is gone, moves to the history. Before that, the caller must end its processes:
   * see {@link PodProcesses}.
   * @param command the command of the user, for messages
   * @param agent ID of the background agent that this process is
   */
  startRun(object: Storable, command?: string, agent?: string): RunStart {
    const owner = this.#ownership.self(command, agent);
    const started = this.#onDisk(() => this.#pods.startRun(object, owner));
    if ('runningUnder' in started) return { ok: false, owner: started.runningUnder };
    return this.#begun(started.pod, owner);
  }

  /**
   * Begins the first run of a Pod name, as `startRun` does.
   * @throws {PodrunError} when a Pod of that name is on record, also one that has ended
   */
  startNewRun(object: Storable, command?: string, agent?: string): Extract<RunStart, { ok: true }> {
    const owner = this.#ownership.self(command, agent);
    return this.#begun(
      this.#onDisk(() => this.#pods.create(object, owner)),
      owner,
    );
  }

  #begun(pod: StoredPod, owner: Owner): Extract<RunStart, { ok: true }> {
    const { namespace, name } = pod.metadata;
    this.#ownership.took(pod, owner);
    this.#watches.checkPod(pod.metadata);
    return { ok: true, pod, release: () => this.#onDisk(() => this.#ownership.release(namespace, name, owner)) };
  }

  /** The manifest that was last applied to an object. Undefined when none was. */
  lastApplied<T extends KubeObject = KubeObject>(resource: Resource, object: StoredObject): T | undefined {
    return this.#onDisk(() => this.#lastApplied.read(resource, object)) as T | undefined;
  }

  /** Records the manifest that was applied to an object. */
  rememberApplied(resource: Resource, object: StoredObject, manifest: KubeObject): void {
    this.#onDisk(() => this.#lastApplied.write(resource, object, manifest));
  }

  /** See `EventRecords.unchangedSince`. */
  eventsUnchangedSince(wallMs: number): ObjectKey[] {
    return this.#onDisk(() => this.#events.unchangedSince(wallMs));
  }

  /** Pods whose agent was killed before they ended, as readers see them. */
  lostPods(): LostPod[] {
    return this.#onDisk(() => this.#pods.lost());
  }

  /** True when other processes run objects of this folder. */
  get areOthers(): boolean {
    return this.#onDisk(() => this.leases.areOthersAlive);
  }

  /** The Pods that other agents run. A process that had killed its agent may have to replace it. */
  podsOfOthers(): StoredPod[] {
    return this.#onDisk(() => (this.leases.areOthers ? this.#pods.ofOthers() : []));
  }

  /** Runs a step of the scheduler while no other process runs one. Must not be nested. */
  whileScheduling<T>(step: () => T): T {
    return this.#onDisk(() => this.#parts.locks.hold('nodes', { namespace: 'all', name: 'scheduler' }, step));
  }

  /** The addresses of Pods that have an owner, alive or not. */
  addressesInUse(): ReadonlySet<string> {
    return new Set(this.#onDisk(() => this.#pods.addressesInUse()));
  }

  #deletePod(key: ObjectKey, writer: Subscription | undefined): KubeObject | undefined {
    const removed = this.#onDisk(() => this.#pods.remove(key));
    if (removed === undefined) return undefined;
    this.#watches.skipOwnWrite(writer, removed.pod);
    this.#watches.checkPod(key);
    for (const event of removed.events) this.#watches.publish('events', [event]);
    this.#logs.letGo(key);
    this.#onDisk(() => removed.discard());
    return removed.pod as Storable as KubeObject;
  }

  #publish(resource: Resource, object: StoredObject): void {
    if (resource === 'pods' || resource === 'events') return this.#watches.publish(resource, [object]);
    this.recent.written(resource);
    this.#watches.written(resource, object);
  }

  #onDisk<T>(run: () => T): T {
    return onDisk(`the state folder ${this.root}`, run);
  }
}
