import { formatTime, type KubeObject, type StoredMeta, type StoredPod, type WatchEvent } from '../api/index.ts';
import type { Clock } from '../clock.ts';
import {
  alreadyExists,
  changedMetadata,
  checkPrecondition,
  checkUid,
  isSamePart,
  keyOf,
  notInStore,
  type ObjectKey,
  type ObjectPart,
  type Resource,
  type Scope,
  type Storable,
  type Store,
  type StoredObject,
  Subscribers,
  type Subscription,
  VersionSource,
} from '../store/index.ts';
import { withoutGrace } from '../lifecycle/index.ts';

/**
 * A Store without files that behaves like the real one. Its objects are frozen, so that changing a
 * stored object throws. Names of Events and uids are the same in every run.
 */
export class MemoryStore implements Store {
  readonly clock: Clock;
  readonly #versions: VersionSource;
  readonly #subscribers = new Subscribers();
  /** By resource, then by namespace and name. */
  readonly #objects = new Map<Resource, Map<string, StoredObject>>();
  #lastUid = 0;

  constructor(clock: Clock) {
    this.clock = clock;
    this.#versions = new VersionSource(clock);
  }

  get recent(): this {
    return this;
  }

  get<T extends Storable = KubeObject>(resource: Resource, namespace: string, name: string): T | undefined {
    return this.#objects.get(resource)?.get(`${namespace}/${name}`) as T | undefined;
  }

  list<T extends Storable = KubeObject>(resource: Resource, scope: Scope = {}): T[] {
    const isWanted = ({ namespace, name }: StoredMeta): boolean =>
      (scope.namespace ?? namespace) === namespace && (scope.name ?? name) === name;
    const entries = [...(this.#objects.get(resource) ?? [])].filter(([, { metadata }]) => isWanted(metadata));
    return entries
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([, object]) => object) as Storable[] as T[];
  }

  create<T extends Storable>(resource: Resource, object: T): T {
    const { namespace, name: wanted } = keyOf(object);
    const isTaken = this.get(resource, namespace, wanted) !== undefined;
    if (isTaken && resource !== 'events') throw alreadyExists(resource, wanted);
    // Events are named by the time, which stands still here while an agent writes.
    const name = isTaken ? `${wanted}-${this.#versions.next()}` : wanted;
    const metadata: StoredMeta = {
      ...object.metadata,
      namespace,
      name,
      uid: object.metadata.uid || `uid-${++this.#lastUid}`,
      resourceVersion: this.#versions.next(),
      generation: object.metadata.generation || 1,
      creationTimestamp: object.metadata.creationTimestamp || formatTime(this.clock.now().wallMs),
    };
    return this.#put(resource, 'ADDED', { ...object, metadata }) as Storable as T;
  }

  createAll<T extends Storable>(resource: Resource, objects: readonly T[]): T[] {
    return objects.map((object) => this.create(resource, object));
  }

  update<T extends Storable>(resource: Resource, object: T): T {
    return this.#put(resource, 'MODIFIED', this.#withObject(resource, object)) as Storable as T;
  }

  updateStatus<T extends Storable>(resource: Resource, object: T): T {
    return this.#put(resource, 'MODIFIED', this.#withStatus(resource, object)) as Storable as T;
  }

  change<T extends Storable = KubeObject>(
    resource: Resource,
    key: ObjectKey,
    part: ObjectPart,
    change: (stored: T) => T,
    writer?: Subscription,
  ): T {
    const stored = this.#mustGet(resource, { metadata: key });
    const changed = change(stored as Storable as T) as Storable as StoredObject;
    checkPrecondition(resource, changed.metadata, stored.metadata);
    if (isSamePart(part, changed, stored)) return stored as Storable as T;
    const written = part === 'status' ? this.#withStatus(resource, changed) : this.#withObject(resource, changed);
    return this.#put(resource, 'MODIFIED', written, writer) as Storable as T;
  }

  bind(key: ObjectKey, bind: (stored: StoredPod) => StoredPod, writer?: Subscription): StoredPod {
    const stored = this.#mustGet('pods', { metadata: key });
    const given = bind(stored as Storable as StoredPod);
    const metadata = changedMetadata('pods', given.metadata, stored.metadata, this.#versions);
    return this.#put('pods', 'MODIFIED', { ...given, metadata }, writer) as Storable as StoredPod;
  }

  claimFolder({ namespace, name }: ObjectKey): string {
    return `/state/claims/${namespace}/${name}`;
  }

  spendReserve(): boolean {
    return false;
  }

  /** Deletes an object by force: marks it as deleted and removes it in one step. */
  delete(resource: Resource, namespace: string, name: string, writer?: Subscription): KubeObject | undefined {
    const stored = this.get<StoredObject>(resource, namespace, name);
    if (stored === undefined) return undefined;
    this.#objects.get(resource)?.delete(`${namespace}/${name}`);
    const resourceVersion = this.#versions.next(stored.metadata.resourceVersion);
    const marked = withoutGrace(stored, this.clock.now().wallMs);
    const last = frozen({ ...marked, metadata: { ...marked.metadata, resourceVersion } });
    this.#tell(resource, { type: 'DELETED', object: last }, writer);
    return last as Storable as KubeObject;
  }

  watch<T extends Storable = KubeObject>(
    resource: Resource,
    scope: Scope,
    listener: (event: WatchEvent<T>) => void,
    options: { readonly replay?: boolean } = {},
  ): Subscription {
    for (const object of options.replay === true ? this.list<T>(resource, scope) : [])
      listener({ type: 'ADDED', object });
    const typedListener = listener as (event: WatchEvent<StoredObject>) => void;
    return this.#subscribers.add(
      { resource, scope, listener: typedListener, knownVersions: new Map(), isClosed: false },
      () => undefined,
    );
  }

  #mustGet(resource: Resource, object: Storable): StoredObject {
    const { namespace, name } = keyOf(object);
    const stored = this.get<StoredObject>(resource, namespace, name);
    if (stored === undefined) throw notInStore(resource, name);
    return stored;
  }

  #withObject(resource: Resource, object: Storable): StoredObject {
    const stored = this.#mustGet(resource, object);
    const metadata = changedMetadata(resource, object.metadata, stored.metadata, this.#versions);
    return { ...object, metadata, ...('status' in stored && { status: stored.status }) };
  }

  #withStatus(resource: Resource, object: Storable): StoredObject {
    const stored = this.#mustGet(resource, object);
    checkUid(resource, object.metadata, stored.metadata);
    const resourceVersion = this.#versions.next(stored.metadata.resourceVersion);
    const { status } = object as StoredObject;
    return { ...stored, metadata: { ...stored.metadata, resourceVersion }, status };
  }

  #put(resource: Resource, type: 'ADDED' | 'MODIFIED', object: StoredObject, writer?: Subscription): StoredObject {
    const { namespace, name } = keyOf(object);
    const asWritten = frozen(object);
    const objects = this.#objects.get(resource) ?? new Map<string, StoredObject>();
    this.#objects.set(resource, objects.set(`${namespace}/${name}`, asWritten));
    this.#tell(resource, { type, object: asWritten }, writer);
    return asWritten;
  }

  #tell(resource: Resource, event: WatchEvent<StoredObject>, writer: Subscription | undefined): void {
    this.#subscribers.skipOwnWrite(writer, event.object);
    this.#subscribers.enqueueIfNew(resource, event);
    this.#subscribers.flush();
  }
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
}
