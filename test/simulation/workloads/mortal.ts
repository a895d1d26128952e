import type { Alarm, Clock } from '../../../src/clock.ts';
import type { KubeObject, StoredPod, WatchEvent } from '../../../src/api/objects.ts';
import type {
  ObjectKey,
  ObjectPart,
  Resource,
  Scope,
  Storable,
  Store,
  Subscription,
} from '../../../src/store/store.ts';

/** One life of an agent. After its death its alarms do not ring, it hears nothing, and its writes are lost. */
export class Life {
  isOver = false;

  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      wakeAt: (atMs, run): Alarm => clock.wakeAt(atMs, () => (this.isOver ? undefined : run())),
    };
  }

  store(store: Store): Store {
    return new MortalStore(store, this);
  }
}

class MortalStore implements Store {
  readonly #store: Store;
  readonly #life: Life;

  constructor(store: Store, life: Life) {
    this.#store = store;
    this.#life = life;
  }

  get<T extends Storable = KubeObject>(resource: Resource, namespace: string, name: string): T | undefined {
    return this.#store.get<T>(resource, namespace, name);
  }

  list<T extends Storable = KubeObject>(resource: Resource, scope?: Scope): T[] {
    return this.#store.list<T>(resource, scope);
  }

  create<T extends Storable>(resource: Resource, object: T): T {
    return this.#life.isOver ? object : this.#store.create(resource, object);
  }

  createAll<T extends Storable>(resource: Resource, objects: readonly T[]): T[] {
    return this.#life.isOver ? [...objects] : this.#store.createAll(resource, objects);
  }

  update<T extends Storable>(resource: Resource, object: T): T {
    return this.#life.isOver ? object : this.#store.update(resource, object);
  }

  updateStatus<T extends Storable>(resource: Resource, object: T): T {
    return this.#life.isOver ? object : this.#store.updateStatus(resource, object);
  }

  change<T extends Storable = KubeObject>(
    resource: Resource,
    key: ObjectKey,
    part: ObjectPart,
    change: (stored: T) => T,
    writer?: Subscription,
  ): T {
    const keep = (stored: T): T => (this.#life.isOver ? stored : change(stored));
    return this.#store.change(resource, key, part, keep, writer);
  }

  bind(key: ObjectKey, bind: (stored: StoredPod) => StoredPod, writer?: Subscription): StoredPod {
    const stored = this.#store.get<StoredPod>('pods', key.namespace, key.name);
    return this.#life.isOver && stored !== undefined ? stored : this.#store.bind(key, bind, writer);
  }

  spendReserve(): boolean {
    return false;
  }

  delete(resource: Resource, namespace: string, name: string, writer?: Subscription): KubeObject | undefined {
    return this.#life.isOver ? undefined : this.#store.delete(resource, namespace, name, writer);
  }

  watch<T extends Storable = KubeObject>(
    resource: Resource,
    scope: Scope,
    listener: (event: WatchEvent<T>) => void,
  ): Subscription {
    return this.#store.watch<T>(resource, scope, (event) => (this.#life.isOver ? undefined : listener(event)));
  }
}
