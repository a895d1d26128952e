import type { IntOrString } from '../../../../src/api/generated/types.ts';
import type { StoredPod } from '../../../../src/api/base/objects.ts';
import type { StoredEndpointSlice } from '../../../../src/api/workloads/endpoint-slices.ts';
import type { StoredDeployment } from '../../../../src/controllers/base/reconcile.ts';
import type { ObjectEntry, WorkloadEntry } from '../workload-entry.ts';
import type { AnyObject } from '../workload-simulation.ts';
import {
  isActive,
  isAvailable,
  isCreation,
  isDeletionByAgent,
  ownerOf,
  versionOf,
  type WorkloadPast,
} from '../workload-past.ts';

const deployments = ({ roots }: WorkloadPast): StoredDeployment[] => roots as unknown[] as StoredDeployment[];

/** The Pods of a Deployment, and of its ReplicaSets that nobody has deleted. */
function podsOf(past: WorkloadPast): StoredPod[] {
  const sets = past.all('ReplicaSet').filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const uids = new Set(sets.map(({ metadata }) => metadata.uid));
  return past.pods().filter((pod) => uids.has(ownerOf(pod) ?? ''));
}

function share(value: IntOrString = 0, replicas: number, round: (value: number) => number): number {
  return typeof value === 'number' ? value : round((Number.parseInt(value) * replicas) / 100);
}

/** The most Pods that there may be, and the fewest that must be available. Source: deployment_util.go. */
function limitsOf({ spec }: StoredDeployment): { readonly most: number; readonly fewest: number } {
  const { replicas = 1, strategy } = spec;
  if (strategy?.type === 'Recreate') return { most: replicas, fewest: 0 };
  const { maxSurge, maxUnavailable } = strategy?.rollingUpdate ?? {};
  const surge = share(maxSurge, replicas, Math.ceil);
  const missing = share(maxUnavailable, replicas, Math.floor);
  return { most: replicas + surge, fewest: replicas - (surge + missing === 0 ? 1 : missing) };
}

/**
 * A Deployment lets its ReplicaSets have so many Pods together. After a change of its strategy they may have more, also
 * anew: a ReplicaSet replaces Pods up to its own number. Source: pkg/controller/deployment/util, NewRSNewReplicas.
 */
export function neverMoreThanReplicasAndMaxSurge(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  const isGrowth = isGrowthOfSet(entry);
  if (!(isGrowth || isCreation(entry, 'Pod')) || !past.isKept) return undefined;
  const sets = past.all('ReplicaSet').filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const wanted = sets.reduce((sum, set) => sum + replicasOf(set), 0);
  const most = Math.max(...deployments(past).map((one) => limitsOf(one).most));
  if (isGrowth) return wanted > most ? `${wanted} Pods wanted, at most ${most}` : undefined;
  const active = podsOf(past).filter(isActive).length;
  return active > Math.max(most, wanted) ? `${active} Pods, at most ${most}` : undefined;
}

export function neverFewerAvailableThanAllowed(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (!isDeletionByAgent(entry) || !past.isKept || past.hasLostPods) return undefined;
  const [first] = deployments(past);
  const { minReadySeconds = 0 } = first?.spec ?? {};
  const isThere = (pod: StoredPod): boolean => isActive(pod) && isAvailable(pod, minReadySeconds, past.wallMs);
  const owner = past.objects.get(ownerOf(entry.object) ?? '');
  if (!isThere(entry.before as unknown as StoredPod) || owner?.metadata.deletionTimestamp !== undefined)
    return undefined;
  if (owner === undefined) return undefined;
  const available = podsOf(past).filter(isThere).length;
  const fewest = Math.min(...deployments(past).map((one) => limitsOf(one).fewest));
  return available < fewest ? `${available} available, at least ${fewest}` : undefined;
}

/** With Recreate, a ReplicaSet gets its first Pods when those of all others have ended. */
export function recreateNeverMixesTemplates(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (!isFirstGrowth(entry) || !past.isKept) return undefined;
  if (deployments(past).some(({ spec }) => spec.strategy?.type !== 'Recreate')) return undefined;
  // A paused one is scaled without a look at Pods that end. Source: pkg/controller/deployment/sync.go sync, scale.
  if (deployments(past).some(({ spec }) => spec.paused === true)) return undefined;
  const { name, uid } = entry.object.metadata;
  const old = podsOf(past).find((pod) => !hasEnded(pod) && ownerOf(pod) !== uid);
  return old && `${name} while ${old.metadata.name} is still there`;
}

/** True when a ReplicaSet without replicas, or a new one, gets some. */
function isFirstGrowth(entry: WorkloadEntry): entry is WorkloadEntry & ObjectEntry {
  return isGrowthOfSet(entry) && replicasOf(entry.before) === 0;
}

/** True when a ReplicaSet gets more replicas, or is new and has some. */
function isGrowthOfSet(entry: WorkloadEntry): entry is WorkloadEntry & ObjectEntry {
  if (entry.type !== 'object' || entry.change === 'DELETED' || entry.object.kind !== 'ReplicaSet') return false;
  return replicasOf(entry.object) > replicasOf(entry.before);
}

function replicasOf(set: AnyObject | undefined): number {
  return (set?.spec as { readonly replicas?: number } | undefined)?.replicas ?? 0;
}

const hasEnded = ({ status }: StoredPod): boolean => status.phase === 'Succeeded' || status.phase === 'Failed';

export function aTemplateHasOneReplicaSet(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (!isCreation(entry, 'ReplicaSet')) return undefined;
  const sets = past.all('ReplicaSet').filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const versions = sets.map(({ spec }) => versionOf((spec as StoredDeployment['spec']).template));
  return new Set(versions).size < versions.length ? versions.join(', ') : undefined;
}

export function deploymentsRestUpToDate(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (entry.type !== 'rest' || !past.isKept) return undefined;
  const { spec, status = {}, metadata } = past.root as unknown as StoredDeployment;
  const { replicas = 1, revisionHistoryLimit = 10 } = spec;
  const { observedGeneration, unavailableReplicas = 0, conditions = [] } = status;
  const counts = [status.replicas, status.updatedReplicas, status.availableReplicas].map((count) => count ?? 0);
  const sets = past.all('ReplicaSet');
  const reason = conditions.find(({ type }) => type === 'Progressing')?.reason;
  const pods = podsOf(past).filter(isActive);
  const isRight =
    observedGeneration === metadata.generation &&
    unavailableReplicas === 0 &&
    [...counts, pods.length].every((count) => count === replicas) &&
    pods.every((pod) => versionOf(pod) === versionOf(spec.template)) &&
    sets.length <= revisionHistoryLimit + 1 &&
    reason === 'NewReplicaSetAvailable';
  return isRight ? undefined : `${JSON.stringify(status)}, ${pods.length} Pods, ${sets.length} ReplicaSets`;
}

/** A rolling update that makes no Pod unavailable leaves a Service ready, unless something else happens. */
export function rollingUpdatesLeaveServicesReady(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (entry.type !== 'settled' || !past.isKept || !past.wasUndisturbed || !past.wasReady) return undefined;
  if (deployments(past).some((one) => limitsOf(one).fewest < 1)) return undefined;
  const slices = past.all('EndpointSlice') as unknown as StoredEndpointSlice[];
  const unready = past.all('Service').find(({ metadata: { uid } }) => {
    const own = slices.filter((slice) => slice.metadata.ownerReferences?.some((owner) => owner.uid === uid));
    return !own.some(({ endpoints }) => (endpoints ?? []).some(({ conditions }) => conditions?.ready === true));
  });
  return unready && `${unready.metadata.name} has no ready endpoint`;
}
