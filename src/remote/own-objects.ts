import type { StoredEvent, StoredKubeObject } from '../api/index.ts';

/**
 * The objects of a run among all objects of a namespace: the created ones, what they own, the Services' endpoints, and
 * Events about all of these. In a namespace that the run has made for itself, that is everything.
 */
export class OwnObjects {
  readonly #isWhole: boolean;
  readonly #uids = new Set<string>();
  /** Objects that are not known to be the run's, in their latest state, by uid: an owner may arrive later. */
  readonly #others = new Map<string, StoredKubeObject>();

  /** @param isWholeNamespace true when nothing but the run lives in the namespace */
  constructor(isWholeNamespace: boolean) {
    this.#isWhole = isWholeNamespace;
  }

  /**
   * Takes an object that the run has created. Returns the objects that are the run's because of it, each after its
   * owner.
   */
  add({ metadata: { uid } }: StoredKubeObject): StoredKubeObject[] {
    this.#uids.add(uid);
    const below = [...this.#others.values()].filter((object) => this.#belongs(object));
    for (const { metadata } of below) this.#others.delete(metadata.uid);
    return below.flatMap((object) => [object, ...this.add(object)]);
  }

  /**
   * Takes an object of the namespace. Returns it, and the objects that are the run's because of it; nothing when it is
   * not the run's.
   */
  sort(object: StoredKubeObject): StoredKubeObject[] {
    if (this.#isWhole) return [object];
    if (this.#belongs(object)) return [object, ...this.add(object)];
    this.#others.set(object.metadata.uid, object);
    return [];
  }

  /** Forgets an object that is gone. True when it was the run's. */
  remove({ metadata: { uid } }: StoredKubeObject): boolean {
    this.#others.delete(uid);
    return this.#isWhole || this.#uids.has(uid);
  }

  #belongs(object: StoredKubeObject): boolean {
    const { uid, ownerReferences = [] } = object.metadata;
    if (this.#uids.has(uid) || ownerReferences.some((owner) => this.#uids.has(owner.uid))) return true;
    const about = object.kind === 'Event' ? (object as unknown as StoredEvent).involvedObject?.uid : undefined;
    return about !== undefined && this.#uids.has(about);
  }
}
