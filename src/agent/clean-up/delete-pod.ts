import { PodrunError } from '../../api/errors.ts';
import { hasFinalizers } from '../../api/finalizers.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { Clock } from '../../clock.ts';
import { planDeletion } from '../../lifecycle/requests/deletion.ts';
import type { FileStore } from '../../store/file-store.ts';
import { ConflictError } from '../../store/store-errors.ts';
import { claimUnowned, endLeftovers, removeLayers } from './leftovers.ts';

export interface PodDeletion {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  /** Seconds that the Pod gets to end; 0: by force; undefined: as its spec says. */
  readonly graceSeconds: number | undefined;
}

/** There is no such Pod, it is gone, or it will be: its agent has been told to end it, or finalizers hold it. */
export type DeletionOutcome = 'missing' | 'removed' | 'ending';

/**
 * Deletes a Pod, as the API server and the kubelet do together. One that somebody runs is told to end: its agent
 * removes it. One that nobody runs any more is removed here, with what is left of its processes. One with finalizers
 * stays until they are gone: see changeObject.
 * @throws {PodrunError} when the store cannot be written to
 */
export async function deletePod(request: PodDeletion): Promise<DeletionOutcome> {
  for (;;) {
    const outcome = await tryToDelete(request);
    if (outcome !== undefined) return outcome;
  }
}

/** Undefined: somebody changed the Pod meanwhile, and it is to be looked at again. */
async function tryToDelete(request: PodDeletion): Promise<DeletionOutcome | undefined> {
  const { store, clock, namespace, name, graceSeconds } = request;
  const pod = store.get<StoredPod>('pods', namespace, name);
  if (pod === undefined) return 'missing';
  const isOwned = store.isOwned(namespace, name);
  const plan = planDeletion(pod, { graceSeconds, isOwned, nowMs: clock.now().wallMs });
  if (plan.type === 'pending') return 'ending';
  if (plan.type === 'mark') return mark(store, plan.pod) ? 'ending' : undefined;
  const claim = isOwned ? undefined : await clearAway(request, pod);
  if (!isOwned && claim === undefined) return undefined;
  if (!tellLast(store, plan.pod)) return undefined;
  if (hasFinalizers(plan.pod)) {
    claim?.release();
    return 'ending';
  }
  // An agent that has nothing to end may have been faster.
  store.delete('pods', namespace, name);
  return 'removed';
}

/** The last that readers see of the Pod. On a full disk it is left out: deleting makes room. */
function tellLast(store: FileStore, pod: StoredPod): boolean {
  try {
    return mark(store, pod);
  } catch (error) {
    if (error instanceof PodrunError) return true;
    throw error;
  }
}

/** The agent writes the status at the same time: a change of an older version is not made. */
function mark(store: FileStore, pod: StoredPod): boolean {
  try {
    store.update('pods', pod);
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    const isGone = store.get('pods', pod.metadata.namespace, pod.metadata.name) === undefined;
    if (isGone) return false;
    throw error;
  }
}

/** Ends what is left of a Pod that nobody runs, as its owner; undefined when somebody else has taken it up. */
async function clearAway({ store, clock }: PodDeletion, pod: StoredPod): Promise<ReturnType<typeof claimUnowned>> {
  // As its owner, so that nobody begins a new run of that name while the old one is being ended.
  const claim = claimUnowned(store, pod, 'delete');
  if (claim === undefined) return undefined;
  await endLeftovers(store, pod, clock);
  await removeLayers(store, pod);
  return claim;
}
