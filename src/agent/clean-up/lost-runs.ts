import { hasFinalizers } from '../../api/finalizers.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { Clock } from '../../clock.ts';
import { markedGone } from '../../lifecycle/requests/deletion.ts';
import { lostPodStatus } from '../../lifecycle/status/lost-pod.ts';
import { nodeNotReady } from '../../lifecycle/texts/events.ts';
import type { FileStore } from '../../store/file-store.ts';
import type { LostPod } from '../../store/pod-records.ts';
import { EventRecorder } from '../event-recorder.ts';
import { claimUnowned, endLeftovers, removeLayers } from './leftovers.ts';
import { removeGroupsOfPod } from '../../runtime/cgroup/stray-groups.ts';

/**
 * Ends what killed agents left running, and closes the records of their Pods: a Pod on its way out is removed, the
 * others have failed. A Pod that somebody takes up meanwhile is theirs.
 * @param tell gets a sentence for each such Pod
 * @param isMeant says which of them; all
 * @throws {PodrunError} when the store cannot be written to
 */
export async function closeLostRuns(
  store: FileStore,
  clock: Clock,
  tell: (text: string) => void,
  isMeant: (lost: LostPod) => boolean = () => true,
): Promise<void> {
  for (const { pod, agentPid } of store.lostPods().filter(isMeant)) {
    if (!(await closeLostRun(store, { pod, agentPid }, clock))) continue;
    tell(
      `pod/${pod.metadata.name}: podrun (process ${agentPid}), which ran this Pod, was killed; ` +
        'the processes that it left were ended',
    );
  }
}

/** The same for one Pod; false when there is nothing to close: the Pod is gone or somebody else's. */
export async function closeLostRun(
  store: FileStore,
  { pod, agentPid }: Pick<LostPod, 'pod' | 'agentPid'>,
  clock: Clock,
): Promise<boolean> {
  await endLeftovers(store, pod, clock);
  // Its podrun may have been killed before it could put on record what it had made.
  await removeGroupsOfPod(pod.metadata.uid, clock);
  return closeRecord(store, pod, agentPid, clock);
}

async function closeRecord(store: FileStore, lost: StoredPod, agentPid: number, clock: Clock): Promise<boolean> {
  const { namespace, name, uid } = lost.metadata;
  // It was kept for this.
  store.spendReserve(lost.metadata);
  const claim = claimUnowned(store, lost, 'apply');
  if (claim === undefined) return false;
  try {
    // As its agent left it: without an owner that is gone, readers see what is stored.
    const pod = store.get<StoredPod>('pods', namespace, name);
    if (pod?.metadata.uid !== uid) return false;
    await removeLayers(store, pod);
    const isDeleted = pod.metadata.deletionTimestamp !== undefined;
    if (isDeleted && !hasFinalizers(pod)) {
      store.delete('pods', namespace, name);
      return true;
    }
    tellNodeNotReady(store, pod, clock);
    store.updateStatus('pods', { ...pod, status: lostPodStatus(pod, agentPid, clock.now()) });
    if (isDeleted) {
      const key = { namespace, name };
      store.change<StoredPod>('pods', key, 'object', (stored) => markedGone(stored, clock.now().wallMs));
    }
    return true;
  } finally {
    claim.release();
  }
}

/** A Pod that had not come to a node yet has lost none. */
function tellNodeNotReady(store: FileStore, pod: StoredPod, clock: Clock): void {
  const { nodeName } = pod.spec;
  if (nodeName === undefined) return;
  const recorder = new EventRecorder({ store, clock, nodeName, onEvent: () => undefined });
  recorder.recordAs('node-controller', { ...pod }, nodeNotReady());
}
