import { DEFAULT_NAMESPACE, hasFinalizers, resourceTypeOf, type StoredKubeObject } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { finalizersAfterDelete, type PropagationPolicy } from '../../controllers/index.ts';
import { settleVolumes } from '../volumes/settle-volumes.ts';
import { withoutGrace } from '../../lifecycle/index.ts';
import type { Store } from '../../store/index.ts';

/**
 * Marks an object as deleted, without grace period, with the finalizers that the policy asks for. An object that is
 * marked already changes only when its finalizers do.
 */
export function markedForDeletion<T extends StoredKubeObject>(object: T, policy: PropagationPolicy, nowMs: number): T {
  const finalizers = finalizersAfterDelete(object, policy);
  const { finalizers: _before, ...metadata } = withoutGrace(object, nowMs).metadata;
  return { ...object, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } };
}

/**
 * Deletes an object that is no Pod: at once, or, as long as finalizers keep it, by a mark.
 * @throws {PodrunError} when the object is gone, or another one has its name
 */
export function deleteRecord(
  store: Store,
  clock: Clock,
  object: Pick<StoredKubeObject, 'apiVersion' | 'kind'> & {
    readonly metadata: { readonly namespace?: string; readonly name: string; readonly uid: string };
  },
  policy: PropagationPolicy,
  /** The resource of the store. A custom kind has one that its name does not say. */
  plural: string = resourceTypeOf(object).plural,
): 'removed' | 'ending' {
  const { namespace = DEFAULT_NAMESPACE, name, uid } = object.metadata;
  let last: StoredKubeObject | undefined;
  let isKept = false;
  store.change<StoredKubeObject>(plural, { namespace, name }, 'object', (stored) => {
    last = stored;
    const marked = markedForDeletion(stored, policy, clock.now().wallMs);
    isKept = hasFinalizers(marked);
    // An object that nothing keeps goes in its last state, without a change before.
    const { metadata } = isKept ? marked : stored;
    return { ...stored, metadata: { ...metadata, uid } };
  });
  if (!isKept) store.delete(plural, namespace, name);
  // A custom kind may have the name of one of Kubernetes.
  if (last !== undefined && !plural.includes('.')) settleVolumes(store, last);
  return store.get(plural, namespace, name) === undefined ? 'removed' : 'ending';
}
