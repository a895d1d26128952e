import { PodrunError, resolvedUid, type StoredPod } from '../../api/index.ts';
import type { Store } from '../../store/index.ts';

/** True when the store still has the Pod. An unreadable store counts as having it. */
export function isStored(store: Store, pod: StoredPod): boolean {
  const { namespace, name } = pod.metadata;
  try {
    const stored = store.get<StoredPod>('pods', namespace, name);
    return stored !== undefined && resolvedUid(stored) === resolvedUid(pod);
  } catch (error) {
    if (error instanceof PodrunError) return true;
    throw error;
  }
}

/** True when a mirror Pod was made anew after its deletion. The static Pod keeps running. */
export function isRenewed(store: Store, deleted: StoredPod): boolean {
  const { namespace, name, uid } = deleted.metadata;
  const stored = store.get<StoredPod>('pods', namespace, name);
  return stored !== undefined && stored.metadata.uid !== uid && resolvedUid(stored) === resolvedUid(deleted);
}
