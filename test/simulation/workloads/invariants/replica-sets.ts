import type { ReplicaSetStatus } from '../../../../src/api/generated/types.ts';
import type { StoredPod } from '../../../../src/api/base/objects.ts';
import type { WorkloadEntry } from '../workload-entry.ts';
import { isActive, isCreation, isDeletionByAgent, isReady, ownerOf, type WorkloadPast } from '../workload-past.ts';
import type { AnyObject } from '../workload-simulation.ts';

/** The ReplicaSet or ReplicationController of a Pod, if nobody has deleted it. */
function setOf(pod: AnyObject, { objects }: WorkloadPast): AnyObject | undefined {
  const owner = objects.get(ownerOf(pod) ?? '');
  const isSet = owner?.kind === 'ReplicaSet' || owner?.kind === 'ReplicationController';
  return isSet && owner.metadata.deletionTimestamp === undefined ? owner : undefined;
}

const replicasOf = ({ spec }: AnyObject): number => (spec as { replicas?: number }).replicas ?? 1;

export function noReplicaSetHasTooManyPods(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (!isCreation(entry, 'Pod')) return undefined;
  const set = setOf(entry.object, past);
  if (set === undefined) return undefined;
  const active = past.podsOf(set.metadata.uid).filter(isActive).length;
  return active > replicasOf(set) ? `${active} of ${replicasOf(set)} Pods of ${set.metadata.name}` : undefined;
}

export function noReplicaSetDeletesAPodThatItNeeds(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (!isDeletionByAgent(entry) || !isActive(entry.before as unknown as StoredPod)) return undefined;
  const set = setOf(entry.object, past);
  if (set === undefined) return undefined;
  const active = past.podsOf(set.metadata.uid).filter(isActive).length;
  return active < replicasOf(set) ? `${active} of ${replicasOf(set)} Pods of ${set.metadata.name}` : undefined;
}

export function replicaSetsRestWithTheirPods(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (entry.type !== 'rest') return undefined;
  const wrong = [...past.all('ReplicaSet'), ...past.all('ReplicationController')].find((set) => {
    const { replicas, readyReplicas = 0, observedGeneration } = (set.status ?? {}) as unknown as ReplicaSetStatus;
    const active = past.podsOf(set.metadata.uid).filter(isActive);
    const counts = [active.length, active.filter(isReady).length, replicas, readyReplicas];
    return observedGeneration !== set.metadata.generation || counts.some((count) => count !== replicasOf(set));
  });
  return wrong && `${wrong.metadata.name}: ${JSON.stringify(wrong.status)} for ${replicasOf(wrong)}`;
}
