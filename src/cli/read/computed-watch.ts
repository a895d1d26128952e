import { caught } from '../../defects.ts';
import { namespacedResources, type ResourceType, type StoredKubeObject, type WatchEvent } from '../../api/index.ts';
import { BUDGET_SOURCES } from '../../apiserver/index.ts';
import type { ObjectReader, Resource, Scope, Store } from '../../store/index.ts';

type ObjectChange = WatchEvent<StoredKubeObject>;

/** The resources whose objects have fields that are computed when they are read, and what they are computed from. */
const SOURCES: Readonly<Record<string, readonly Resource[]>> = {
  nodes: [],
  poddisruptionbudgets: BUDGET_SOURCES,
  resourcequotas: namespacedResources(),
};

/**
 * Changes as readers see them. The store keeps no status of PodDisruptionBudgets and quotas: each change of what they
 * count may be a change of theirs.
 */
export class ComputedWatch {
  readonly #reader: ObjectReader;
  readonly #resource: Resource;
  readonly #sources: readonly Resource[] | undefined;
  /** The objects that were read last as texts, by uid. Without the times of conditions: see `withBudgetStatus`. */
  readonly #seen = new Map<string, string>();

  /** @param reader the store with the objects that every cluster has */
  constructor(reader: ObjectReader, { plural }: ResourceType) {
    this.#reader = reader;
    this.#resource = plural;
    this.#sources = SOURCES[plural];
  }

  /** A change of a stored object, with what is computed. */
  read({ type, object }: ObjectChange): ObjectChange {
    if (this.#sources === undefined) return { type, object };
    const { namespace, name } = object.metadata;
    const read = this.#reader.get<StoredKubeObject>(this.#resource, namespace, name) ?? object;
    this.#isNew(read);
    return { type, object: read };
  }

  /** Tells of objects whose computed fields change. The result ends that. */
  follow(store: Store, scope: Scope, listener: (change: ObjectChange) => void): () => void {
    let isPlanned = false;
    const look = (): void => {
      isPlanned = false;
      for (const object of this.#reader.list<StoredKubeObject>(this.#resource, scope))
        if (this.#isNew(object)) listener({ type: 'MODIFIED', object });
    };
    const plan = (): void => {
      if (!isPlanned) queueMicrotask(caught(look));
      isPlanned = true;
    };
    const { namespace } = scope;
    const around: Scope = namespace === undefined ? {} : { namespace };
    const subscriptions = (this.#sources ?? []).map((resource) => store.watch(resource, around, plan));
    return () => subscriptions.forEach((subscription) => subscription.close());
  }

  #isNew(object: StoredKubeObject): boolean {
    const text = JSON.stringify(object, (key, value: unknown) => (key === 'lastTransitionTime' ? undefined : value));
    const { uid } = object.metadata;
    if (this.#seen.get(uid) === text) return false;
    this.#seen.set(uid, text);
    return true;
  }
}
