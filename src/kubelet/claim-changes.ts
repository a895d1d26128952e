import type { KubeObject, StorageStorageClass, StoredClaim, StoredVolume, WatchEvent } from '../api/index.ts';
import type { ClusterEvent } from '../lifecycle/index.ts';
import type { Store, Subscription } from '../store/index.ts';

/** Tells the scheduler of changes of claims, volumes and their classes, which Pods may wait for. */
export class ClaimChanges {
  readonly #watches: readonly Subscription[];

  constructor(store: Store, heard: (event: ClusterEvent) => void) {
    this.#watches = [
      store.watch<StoredClaim & KubeObject>('persistentvolumeclaims', {}, (event) =>
        heard({ kind: 'PersistentVolumeClaim', ...changeOf(event) }),
      ),
      store.watch<StoredVolume & KubeObject>('persistentvolumes', {}, (event) =>
        heard({ kind: 'PersistentVolume', ...changeOf(event) }),
      ),
      store.watch<StorageStorageClass & KubeObject>('storageclasses', {}, (event) =>
        heard({ kind: 'StorageClass', ...changeOf(event) }),
      ),
    ];
  }

  close(): void {
    for (const watch of this.#watches) watch.close();
  }
}

/** The store does not say how an object was before: no hint about these asks. */
function changeOf<T>({ type, object }: WatchEvent<T>): { readonly before?: T; readonly after?: T } {
  switch (type) {
    case 'ADDED':
      return { after: object };
    case 'DELETED':
      return { before: object };
    case 'MODIFIED':
      return { before: object, after: object };
    default:
      return type satisfies never;
  }
}
