import type { StoredKubeObject } from '../../api/index.ts';

/** The place of an object that names an owner. */
interface DependentRef {
  /** The resource of the store that has the object. */
  readonly storage: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** The objects that name owners, by the uids of these, which need not exist. */
export class OwnerIndex {
  /** By uid of the owner, then by uid of the dependent. */
  readonly #byOwner = new Map<string, Map<string, DependentRef>>();

  add(storage: string, { metadata }: StoredKubeObject): void {
    const { namespace, name } = metadata;
    for (const { uid } of metadata.ownerReferences ?? []) {
      const known = this.#byOwner.get(uid) ?? new Map<string, DependentRef>();
      this.#byOwner.set(uid, known.set(metadata.uid, { storage, namespace, name }));
    }
  }

  remove({ metadata }: StoredKubeObject): void {
    for (const { uid } of metadata.ownerReferences ?? []) {
      const known = this.#byOwner.get(uid);
      known?.delete(metadata.uid);
      if (known?.size === 0) this.#byOwner.delete(uid);
    }
  }

  of(uid: string): readonly DependentRef[] {
    return [...(this.#byOwner.get(uid)?.values() ?? [])];
  }

  has(uid: string): boolean {
    return this.#byOwner.has(uid);
  }
}
