import { PodrunError } from '../../api/errors.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { Store } from '../../store/store.ts';

/** Is the Pod still in the store, or was it removed by force? One that cannot be looked for was not. */
export function isStored(store: Store, { metadata: { namespace, name, uid } }: StoredPod): boolean {
  try {
    return store.get('pods', namespace, name)?.metadata.uid === uid;
  } catch (error) {
    if (error instanceof PodrunError) return true;
    throw error;
  }
}
