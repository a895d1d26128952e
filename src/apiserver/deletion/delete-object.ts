import { collectDependents } from './collect-dependents.ts';
import { type DeletionOutcome, deletePod } from './delete-pod.ts';
import { deleteRecord } from './delete-record.ts';
import { hasCode, storageOf, type StoredKubeObject } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { PropagationPolicy } from '../../controllers/index.ts';
import type { DeletionAuthor } from '../../lifecycle/index.ts';
import type { FileStore } from '../../store/index.ts';
import { isDefinition } from '../custom/definition/definition.ts';
import { recordAuthor } from './record-author.ts';
import { objectToChange } from '../base/default-objects.ts';
import { deleteNamespace, type HasMore, isNamespace } from './delete-namespace.ts';
import type { ObjectRef } from '../base/object-ref.ts';
import { loneOf } from '../base/lone-store.ts';

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
  /** Undefined: a controller, or podrun itself. */
  readonly author?: DeletionAuthor | undefined;
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
  if (storageOf(type) === 'pods') return deletePod({ ...request, namespace, name });
  const object = objectToChange(store, ref);
  if (object === undefined) return 'missing';
  if (request.author !== undefined) recordAuthor(store, clock, object, request.author);
  if (isNamespace(ref)) return deleteNamespace(store, clock, object, request.hasMore);
  if (isDefinition(type)) removeInstances(store, name);
  const hasAgent = store.owners.isOwned(namespace, name, storageOf(type));
  const outcome = deletedRecord(request, object, storageOf(type));
  const leavesNothing = outcome !== 'ending' && request.hasDependents?.(object.metadata.uid) === false;
  if (!hasAgent && !leavesNothing && loneOf(store) === undefined) await collectDependents(store, clock, namespace);
  return outcome;
}

/** Removes the objects of a custom kind, which go before their definition. */
function removeInstances(store: FileStore, storage: string): void {
  for (const { metadata } of store.list<StoredKubeObject>(storage))
    ignoringMissing(() => store.delete(storage, metadata.namespace, metadata.name));
}

function deletedRecord(
  { store, clock, propagation = 'Background' }: ObjectDeletion,
  object: StoredKubeObject,
  plural: string,
): DeletionOutcome {
  return ignoringMissing(() => deleteRecord(store, clock, object, propagation, plural)) ?? 'missing';
}

/** The outcome of a deletion. Undefined: another client has deleted or replaced the object. */
function ignoringMissing<T>(remove: () => T): T | undefined {
  try {
    return remove();
  } catch (error) {
    if (hasCode(error, 'NotFound') || hasCode(error, 'Conflict')) return undefined;
    throw error;
  }
}
