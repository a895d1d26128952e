import {
  hasCode,
  hasFinalizers,
  isMirrorPod,
  isTerminalPhase,
  isUnreachable,
  PodrunError,
  type StoredPod,
} from '../../api/index.ts';
import { type Clock, sleep } from '../../clock.ts';
import { type DeletionAuthor, planDeletion } from '../../lifecycle/index.ts';
import type { FileStore } from '../../store/index.ts';
import { settleClaimsOf } from '../volumes/settle-volumes.ts';
import { recordAuthor } from './record-author.ts';
import { claimUnowned, endLeftovers, removeLayers } from './leftovers.ts';
import { loneOf } from '../base/lone-store.ts';

/** The time before a further attempt: the process that is in the way needs it, however low its priority is. */
const RETRY_MS = 10;

export interface PodDeletion {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  /** The grace period in seconds. 0: by force. Undefined: the Pod's own. */
  readonly graceSeconds: number | undefined;
  /** Undefined: a controller, or podrun itself. */
  readonly author?: DeletionAuthor | undefined;
}

/**
 * missing: no such Pod. removed: the object is gone. renewed: so is the mirror Pod of a static Pod, and there is a new
 * one. ending: its agent ends it, or finalizers keep it.
 */
export type DeletionOutcome = 'missing' | 'removed' | 'renewed' | 'ending';

/**
 * Deletes a Pod, as the API server and the kubelet do together. A running Pod is marked, and its agent removes it. A
 * Pod without an agent is removed here, with its remaining processes. A Pod with finalizers stays until they are gone:
 * see changeObject. A mirror Pod is made anew: only its file ends a static Pod.
 * @throws {PodrunError} when the store cannot be written to
 */
export async function deletePod(request: PodDeletion): Promise<DeletionOutcome> {
  tellAuthor(request);
  for (;;) {
    const outcome = await tryToDelete(request);
    if (outcome !== undefined) return outcome;
    await sleep(request.clock, RETRY_MS);
  }
}

/** Records the author who ends a live Pod. A Pod that has ended is the same without them. */
function tellAuthor({ store, clock, namespace, name, author }: PodDeletion): void {
  const pod = author && store.get<StoredPod>('pods', namespace, name);
  if (author === undefined || pod === undefined || isTerminalPhase(pod.status.phase)) return;
  recordAuthor(store, clock, pod, author);
}

/** Returns undefined after a concurrent change of the Pod: the caller tries again. */
async function tryToDelete(request: PodDeletion): Promise<DeletionOutcome | undefined> {
  const { store, clock, namespace, name, graceSeconds } = request;
  const pod = store.get<StoredPod>('pods', namespace, name);
  if (pod === undefined) return 'missing';
  // Without a kubelet, a Pod of a node waits for one until it is deleted by force.
  const isOwned = store.owners.isOwned(namespace, name) || loneOf(store) !== undefined;
  if (loneOf(store) === undefined && isOwned && isMirrorOfRunning(pod)) return store.renewMirror(pod) && 'renewed';
  const plan = planDeletion(pod, { graceSeconds, isOwned, nowMs: clock.now().wallMs });
  if (plan.type === 'pending') return 'ending';
  if (plan.type === 'mark') return mark(store, plan.pod) ? 'ending' : undefined;
  const claim = isOwned ? undefined : await clearAway(request, pod);
  if (!isOwned && claim === undefined) return undefined;
  if (!writeLastState(store, plan.pod)) return undefined;
  if (hasFinalizers(plan.pod)) {
    claim?.release();
    return 'ending';
  }
  // The agent may have removed a Pod that had nothing to end.
  store.delete('pods', namespace, name);
  settleClaimsOf(store, pod);
  return 'removed';
}

/** True for the mirror Pod of a static Pod that its agent runs, and that is not ending because its file is gone. */
function isMirrorOfRunning(pod: StoredPod): boolean {
  return isMirrorPod(pod) && pod.metadata.deletionTimestamp === undefined && !isUnreachable(pod.status);
}

/** Writes the last state of the Pod for its readers. A full disk is no obstacle: the deletion makes room. */
function writeLastState(store: FileStore, pod: StoredPod): boolean {
  try {
    return mark(store, pod);
  } catch (error) {
    if (error instanceof PodrunError) return true;
    throw error;
  }
}

/** Updates the Pod. Returns false when the agent has changed or removed it meanwhile. */
function mark(store: FileStore, pod: StoredPod): boolean {
  try {
    store.update('pods', pod);
    return true;
  } catch (error) {
    if (hasCode(error, 'Conflict')) return false;
    const isGone = store.get('pods', pod.metadata.namespace, pod.metadata.name) === undefined;
    if (isGone) return false;
    throw error;
  }
}

/** Ends the remaining processes of a Pod that no agent runs. Undefined when another process has taken the Pod. */
async function clearAway({ store, clock }: PodDeletion, pod: StoredPod): Promise<ReturnType<typeof claimUnowned>> {
  // The claim keeps other processes from beginning a run of that name meanwhile.
  const claim = claimUnowned(store, pod, 'delete');
  if (claim === undefined) return undefined;
  await endLeftovers(store, pod, clock);
  await removeLayers(store, pod);
  return claim;
}
