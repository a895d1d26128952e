import { PodrunError } from '../../api/errors.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { Store } from '../../store/store.ts';

/** True when the store still has the Pod. An unreadable store counts as having it. */
export function isStored(store: Store, { metadata: { namespace, name, uid } }: StoredPod): boolean {
  try {
    return store.get('pods', namespace, name)?.metadata.uid === uid;
  } catch (error) {
    if (error instanceof PodrunError) return true;
    throw error;
  }
}
