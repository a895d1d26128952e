import { isMirrorPod, type PodSpec, resolvedUid, type StoredPod } from '../api/index.ts';

/**
 * The stored object of a run. Held: only finalizers keep it. Missing: a write did not find it; its deletion is not
 * reported. Overtaken: so, when this run was about to remove it.
 */
export type ObjectState = 'present' | 'removing' | 'held' | 'missing' | 'overtaken' | 'gone';

/**
 * The Pod as the node runs it. A mirror Pod has a uid of its own, and a change of it changes no static Pod.
 * @param spec the spec of a static Pod
 */
export function asRun(stored: StoredPod, spec: PodSpec): StoredPod {
  return isMirrorPod(stored) ? { ...withUid(stored, resolvedUid(stored)), spec } : stored;
}

/** A change of this stored Pod alone, not of a later one of the same name. */
export function ofPod(uid: string, change: (stored: StoredPod) => StoredPod): (stored: StoredPod) => StoredPod {
  return (stored) => withUid(change(stored), resolvedUid(stored) === uid ? stored.metadata.uid : uid);
}

/** The Pod with another uid. */
export function withUid(pod: StoredPod, uid: string): StoredPod {
  return { ...pod, metadata: { ...pod.metadata, uid } };
}
