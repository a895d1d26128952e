import type { Alarm, Clock } from '../../../src/clock.ts';
import type { Runtime } from '../../../src/runtime/base/runtime.ts';
import type { KubeObject, StoredPod, WatchEvent } from '../../../src/api/base/objects.ts';
import type {
  ObjectKey,
  ObjectPart,
  Resource,
  Scope,
  Storable,
  Store,
  Subscription,
} from '../../../src/store/base/store.ts';

/** One life of an agent. After its death its alarms do not ring, it hears nothing, and its writes are lost. */
export class Life {
  #isOver = false;
  #writesLeft = Infinity;

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ends at the write after so many others, which is lost. 0: at once. */
  endAfter(writes: number): void {
    this.#writesLeft = writes;
    this.#isOver ||= writes === 0;
  }

  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      wakeAt: (atMs, run): Alarm => clock.wakeAt(atMs, () => (this.#isOver ? undefined : run())),
    };
  }

  store(store: Store): Store {
    return new MortalStore(store, this);
  }

  /** Programs that it would start after its death never start. */
  runtime(runtime: Runtime): Runtime {
    return {
      start: (launch) => (this.#isOver ? new Promise(() => undefined) : runtime.start(launch)),
      exec: (request) => runtime.exec(request),
      startExec: (launch) => runtime.startExec(launch),
      adopt: (id, listeners) => runtime.adopt?.(id, listeners),
    };
  }

  /** Counts a write. False: it is lost. */
  writes(): boolean {
    this.#isOver ||= this.#writesLeft === 0;
    this.#writesLeft -= 1;
    return !this.#isOver;
  }
}

/** Answers a lost write as if it had been written. */
class MortalStore implements Store {
  readonly #store: Store;
  readonly #life: Life;

  constructor(store: Store, life: Life) {
    this.#store = store;
    this.#life = life;
  }

  get clock(): Clock {
    return this.#store.clock;
  }

  get recent(): this {
    return this;
  }

  get<T extends Storable = KubeObject>(resource: Resource, namespace: string, name: string): T | undefined {
    return this.#store.get<T>(resource, namespace, name);
  }

  list<T extends Storable = KubeObject>(resource: Resource, scope?: Scope): T[] {
    return this.#store.list<T>(resource, scope);
  }

  claimFolder(key: ObjectKey, isOld: boolean): string {
    return this.#store.claimFolder(key, isOld);
  }

  create<T extends Storable>(resource: Resource, object: T): T {
    return this.#life.writes() ? this.#store.create(resource, object) : object;
  }

  createAll<T extends Storable>(resource: Resource, objects: readonly T[]): T[] {
    return objects.map((object) => this.create(resource, object));
  }

  update<T extends Storable>(resource: Resource, object: T): T {
    return this.#life.writes() ? this.#store.update(resource, object) : object;
  }

  updateStatus<T extends Storable>(resource: Resource, object: T): T {
    return this.#life.writes() ? this.#store.updateStatus(resource, object) : object;
  }

  change<T extends Storable = KubeObject>(
    resource: Resource,
    key: ObjectKey,
    part: ObjectPart,
    change: (stored: T) => T,
    writer?: Subscription,
  ): T {
    const stored = this.#store.get<T>(resource, key.namespace, key.name);
    if (this.#life.writes() || stored === undefined) return this.#store.change(resource, key, part, change, writer);
    return change(stored);
  }

  bind(key: ObjectKey, bind: (stored: StoredPod) => StoredPod, writer?: Subscription): StoredPod {
    const stored = this.#store.get<StoredPod>('pods', key.namespace, key.name);
    return this.#life.writes() || stored === undefined ? this.#store.bind(key, bind, writer) : bind(stored);
  }

  spendReserve(): boolean {
    return false;
  }

  delete(resource: Resource, namespace: string, name: string, writer?: Subscription): KubeObject | undefined {
    return this.#life.writes() ? this.#store.delete(resource, namespace, name, writer) : undefined;
  }

  watch<T extends Storable = KubeObject>(
    resource: Resource,
    scope: Scope,
    listener: (event: WatchEvent<T>) => void,
    options: { readonly replay?: boolean } = {},
  ): Subscription {
    return this.#store.watch<T>(resource, scope, (event) => (this.#life.isOver ? undefined : listener(event)), options);
  }
}
