import type { StoredKubeObject } from '../../api/index.ts';

/** An object that names an owner. */
export interface Dependent {
  /** The resource of the store that has the object. */
  readonly storage: string;
  readonly object: StoredKubeObject;
}

/** The objects that name owners, by the uids of these, which need not exist. */
export class OwnerIndex {
  /** By uid of the owner, then by uid of the dependent. */
  readonly #byOwner = new Map<string, Map<string, Dependent>>();

  add(storage: string, object: StoredKubeObject): void {
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const known = this.#byOwner.get(uid) ?? new Map<string, Dependent>();
      this.#byOwner.set(uid, known.set(object.metadata.uid, { storage, object }));
    }
  }

  remove({ metadata }: StoredKubeObject): void {
    for (const { uid } of metadata.ownerReferences ?? []) {
      const known = this.#byOwner.get(uid);
      known?.delete(metadata.uid);
      if (known?.size === 0) this.#byOwner.delete(uid);
    }
  }

  of(uid: string): readonly Dependent[] {
    return [...(this.#byOwner.get(uid)?.values() ?? [])];
  }
}
