import { hasFinalizers, resolvedUid, type StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { lostPodStatus, nodeNotReady, withoutGrace } from '../../lifecycle/index.ts';
import type { FileStore, LostPod } from '../../store/index.ts';
import { EventRecorder } from '../base/event-recorder.ts';
import { claimUnowned, endLeftovers, removeLayers } from './leftovers.ts';
import { removeGroupsOfPod } from '../../runtime/index.ts';

/**
 * Ends the processes that killed agents have left, and closes the records of their Pods: a Pod that was being deleted
 * is removed, all other Pods become Failed. A Pod that another process takes meanwhile is left alone.
 * @param report gets a sentence for each such Pod
 * @param isMeant selects Pods. Default: all
 * @throws {PodrunError} when the store cannot be written to
 */
export async function closeLostRuns(
  store: FileStore,
  clock: Clock,
  report: (text: string) => void,
  isMeant: (lost: LostPod) => boolean = () => true,
): Promise<void> {
  for (const { pod, agentPid } of store.lostPods().filter(isMeant)) {
    if (!(await closeLostRun(store, { pod, agentPid }, clock))) continue;
    report(
      `pod/${pod.metadata.name}: podrun (process ${agentPid}), which ran this Pod, was killed; ` +
        'the processes that it left were ended',
    );
  }
}

/** Closes one lost Pod. Returns false when the Pod is gone or has a new owner. */
export async function closeLostRun(
  store: FileStore,
  { pod, agentPid }: Pick<LostPod, 'pod' | 'agentPid'>,
  clock: Clock,
): Promise<boolean> {
  await endLeftovers(store, pod, clock);
  // Its podrun may have been killed between making a cgroup and recording it.
  await removeGroupsOfPod(resolvedUid(pod), clock);
  return closeRecord(store, pod, agentPid, clock);
}

async function closeRecord(store: FileStore, lost: StoredPod, agentPid: number, clock: Clock): Promise<boolean> {
  const { namespace, name, uid } = lost.metadata;
  // The store keeps a reserve for this write.
  store.spendReserve(lost.metadata);
  const claim = claimUnowned(store, lost, 'apply');
  if (claim === undefined) return false;
  try {
    // Read after the claim: before it, readers see the Pod as lost.
    const pod = store.get<StoredPod>('pods', namespace, name);
    if (pod?.metadata.uid !== uid) return false;
    await removeLayers(store, pod);
    const isDeleted = pod.metadata.deletionTimestamp !== undefined;
    if (isDeleted && !hasFinalizers(pod)) {
      store.delete('pods', namespace, name);
      return true;
    }
    recordNodeNotReady(store, pod, clock);
    store.updateStatus('pods', { ...pod, status: lostPodStatus(pod, agentPid, clock.now()) });
    if (isDeleted) {
      const key = { namespace, name };
      store.change<StoredPod>('pods', key, 'object', (stored) => withoutGrace(stored, clock.now().wallMs));
    }
    return true;
  } finally {
    claim.release();
  }
}

/** Records NodeNotReady, unless the Pod never had a node. */
function recordNodeNotReady(store: FileStore, pod: StoredPod, clock: Clock): void {
  const { nodeName } = pod.spec;
  if (nodeName === undefined) return;
  const recorder = new EventRecorder({ store, clock, nodeName, onEvent: () => undefined });
  recorder.recordAs('node-controller', { ...pod }, nodeNotReady());
}
