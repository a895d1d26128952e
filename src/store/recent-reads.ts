import { nextEventLoopTurn } from '../clock.ts';
import type { KubeObject } from '../api/index.ts';
import type { ObjectReader, Resource, Scope, Storable } from './base/store.ts';

/** Resources that are read for each new Pod, and rarely written. */
const SHARED: ReadonlySet<Resource> = new Set([
  'limitranges',
  'namespaces',
  'priorityclasses',
  'resourcequotas',
  'runtimeclasses',
  'serviceaccounts',
  'services',
]);

/**
 * Reads a store for one of many Pods: what several of them need is read once in a turn of the event loop, and again
 * after a write of this process. Callers must not change what they get.
 */
export class RecentReads implements ObjectReader {
  readonly root: string;
  readonly #store: ObjectReader;
  readonly #read = new Map<string, unknown>();

  constructor(store: ObjectReader & { readonly root: string }) {
    this.root = store.root;
    this.#store = store;
  }

  get<T extends Storable = KubeObject>(resource: Resource, namespace: string, name: string): T | undefined {
    return this.#once(resource, `${resource}/${namespace}/${name}`, () =>
      this.#store.get<T>(resource, namespace, name),
    );
  }

  list<T extends Storable = KubeObject>(resource: Resource, scope: Scope = {}): T[] {
    return this.#once(resource, `${resource} ${JSON.stringify(scope)}`, () => this.#store.list<T>(resource, scope));
  }

  /** Called after each write of this process. */
  written(resource: Resource): void {
    if (SHARED.has(resource)) this.#read.clear();
  }

  #once<T>(resource: Resource, key: string, read: () => T): T {
    if (!SHARED.has(resource)) return read();
    if (this.#read.size === 0) nextEventLoopTurn(() => this.#read.clear());
    if (!this.#read.has(key)) this.#read.set(key, read());
    return this.#read.get(key) as T;
  }
}
