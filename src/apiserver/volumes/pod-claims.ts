import {
  DEFAULT_NAMESPACE,
  type StoredClaim,
  type StoredKubeObject,
  type StoredPod,
  type WatchEvent,
} from '../../api/index.ts';
import type { ObjectKey, Store, Subscription } from '../../store/index.ts';

/** Tells of the claims of some Pods, and of the volumes that these are bound to. */
export class PodClaims {
  readonly #store: Pick<Store, 'watch'>;
  readonly #tell: (event: WatchEvent<StoredKubeObject>) => void;
  readonly #watches = new Map<string, Subscription>();

  /** @param tell called for each change, and for objects that exist already as ADDED */
  constructor(store: Pick<Store, 'watch'>, tell: (event: WatchEvent<StoredKubeObject>) => void) {
    this.#store = store;
    this.#tell = tell;
  }

  /** Follows the claims of a Pod from now on. */
  add({ metadata: { namespace }, spec: { volumes = [] } }: StoredPod): void {
    for (const { persistentVolumeClaim } of volumes) {
      if (persistentVolumeClaim === undefined) continue;
      this.#follow('persistentvolumeclaims', { namespace, name: persistentVolumeClaim.claimName }, (claim) => {
        const { volumeName: name = '' } = (claim as unknown as StoredClaim).spec;
        if (name !== '') this.#follow('persistentvolumes', { namespace: DEFAULT_NAMESPACE, name });
      });
    }
  }

  close(): void {
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
  }

  #follow(resource: string, key: ObjectKey, onObject: (object: StoredKubeObject) => void = () => undefined): void {
    const id = `${resource}/${key.namespace}/${key.name}`;
    if (this.#watches.has(id)) return;
    // A listener may come to the same object again.
    this.#watches.set(id, { close: () => undefined });
    const watch = this.#store.watch<StoredKubeObject>(
      resource,
      key,
      (event) => {
        this.#tell(event);
        onObject(event.object);
      },
      { replay: true },
    );
    this.#watches.set(id, watch);
  }
}
