import { collectDependents } from './collect-dependents.ts';
import { type DeletionOutcome, deletePod } from './delete-pod.ts';
import { deleteRecord } from './delete-record.ts';
import { hasCode, type StoredKubeObject } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { PropagationPolicy } from '../../controllers/index.ts';
import type { FileStore } from '../../store/index.ts';
import { objectToChange } from '../base/default-objects.ts';
import { deleteNamespace, type HasMore, isNamespace } from './delete-namespace.ts';
import type { ObjectRef } from '../base/object-ref.ts';

export interface ObjectDeletion {
  readonly store: FileStore;
  readonly clock: Clock;
  /** The grace period of a Pod in seconds. 0: by force. Undefined: the Pod's own. */
  readonly graceSeconds: number | undefined;
  /** The way of what the object owns. Default: Background, which kubectl sends. */
  readonly propagation?: PropagationPolicy | undefined;
  /** True when an object names an owner of this uid. Undefined: unknown, all objects of the namespace are looked at. */
  readonly hasDependents?: (uid: string) => boolean;
  /** Default: a namespace has objects of podrun's own kinds only. */
  readonly hasMore?: HasMore;
}

/**
 * Deletes an object, as the API server does: a Pod after its end, other objects at once. An object with finalizers is
 * marked as deleted, and goes with the last of them. The agent of a workload collects what the workload owns; without
 * an agent, this process does.
 * @throws {PodrunError} when the store cannot be written to
 */
export async function deleteObject(request: ObjectDeletion, ref: ObjectRef): Promise<DeletionOutcome> {
  const { store, clock } = request;
  const { type, namespace, name } = ref;
  if (type.plural === 'pods') return deletePod({ ...request, namespace, name });
  const object = objectToChange(store, ref);
  if (object === undefined) return 'missing';
  if (isNamespace(ref)) return deleteNamespace(store, clock, object, request.hasMore);
  const hasAgent = store.isOwned(namespace, name, type.plural);
  const outcome = deletedRecord(request, object, type.plural);
  const leavesNothing = outcome !== 'ending' && request.hasDependents?.(object.metadata.uid) === false;
  if (!hasAgent && !leavesNothing) await collectDependents(store, clock, namespace);
  return outcome;
}

function deletedRecord(
  { store, clock, propagation = 'Background' }: ObjectDeletion,
  object: StoredKubeObject,
  plural: string,
): DeletionOutcome {
  try {
    return deleteRecord(store, clock, object, propagation, plural);
  } catch (error) {
    if (hasCode(error, 'NotFound') || hasCode(error, 'Conflict')) return 'missing';
    throw error;
  }
}
