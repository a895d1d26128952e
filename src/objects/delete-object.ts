import { type DeletionOutcome, deletePod } from '../agent/clean-up/delete-pod.ts';
import { hasFinalizers, isKeptByFinalizers } from '../api/finalizers.ts';
import type { StoredKubeObject } from '../api/objects.ts';
import type { Clock } from '../clock.ts';
import { withoutGrace } from '../lifecycle/requests/deletion.ts';
import type { FileStore } from '../store/file-store.ts';
import { getObject, type ObjectRef } from './object-ref.ts';

export interface ObjectDeletion {
  readonly store: FileStore;
  readonly clock: Clock;
  /** The grace period of a Pod in seconds. 0: by force. Undefined: the Pod's own. */
  readonly graceSeconds: number | undefined;
}

/**
 * Deletes an object, as the API server does: a Pod after its end, other objects at once. An object with finalizers is
 * marked as deleted, and goes with the last of them.
 * @throws {PodrunError} when the store cannot be written to
 */
export async function deleteObject(request: ObjectDeletion, ref: ObjectRef): Promise<DeletionOutcome> {
  const { store, clock } = request;
  const { type, namespace, name } = ref;
  if (type.plural === 'pods') return deletePod({ ...request, namespace, name });
  const object = getObject(store, ref);
  if (object === undefined) return 'missing';
  if (!hasFinalizers(object)) return store.delete(type.plural, namespace, name) === undefined ? 'missing' : 'removed';
  const mark = (stored: StoredKubeObject): StoredKubeObject => withoutGrace(stored, clock.now().wallMs);
  return isKeptByFinalizers(store.change(type.plural, { namespace, name }, 'object', mark))
    ? 'ending'
    : deleteObject(request, ref);
}
