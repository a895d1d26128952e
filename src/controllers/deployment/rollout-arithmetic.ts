import type { IntOrString } from '../../api/index.ts';
import type { StoredDeployment, StoredReplicaSet } from '../base/reconcile.ts';

/** The numbers of a rollout. Source of all rules here: pkg/controller/deployment/util/deployment_util.go. */

/** The number of Pods that a rolling update may add (`surge`), and that may be unavailable. */
export interface Fenceposts {
  readonly surge: number;
  readonly unavailable: number;
}

/**
 * Resolves percentages: `surge` is rounded up, `unavailable` down. When both are 0, one Pod may be unavailable. Source:
 * ResolveFenceposts.
 */
function resolveFenceposts(
  maxSurge: IntOrString | undefined,
  maxUnavailable: IntOrString | undefined,
  replicas: number,
): Fenceposts {
  const surge = scaledValue(maxSurge, replicas, Math.ceil);
  const unavailable = scaledValue(maxUnavailable, replicas, Math.floor);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** A number, or a share of the replicas. Source: apimachinery/pkg/util/intstr GetScaledValueFromIntOrPercent. */
export function scaledValue(value: IntOrString = 0, replicas: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  return value.endsWith('%') ? round((Number(value.slice(0, -1)) * replicas) / 100) : Number(value);
}

/** The numbers of a Deployment. With Recreate nothing is added, and all may be missing at once. */
export function fencepostsOf({ spec }: StoredDeployment): Fenceposts {
  const { replicas = 1, strategy } = spec;
  if (strategy?.type !== 'RollingUpdate') return { surge: 0, unavailable: 0 };
  const { maxSurge, maxUnavailable } = strategy.rollingUpdate ?? {};
  const { surge, unavailable } = resolveFenceposts(maxSurge, maxUnavailable, replicas);
  return { surge, unavailable: Math.min(unavailable, replicas) };
}

/** The sum of the replicas that ReplicaSets are to have. */
export function wantedReplicas(replicaSets: readonly StoredReplicaSet[]): number {
  return replicaSets.reduce((sum, { spec }) => sum + (spec.replicas ?? 0), 0);
}

/** The size to which the new ReplicaSet may grow. Source: NewRSNewReplicas. */
export function newReplicas(deployment: StoredDeployment, all: number, current: number): number {
  const { replicas = 1, strategy } = deployment.spec;
  if (strategy?.type !== 'RollingUpdate') return replicas;
  const room = replicas + fencepostsOf(deployment).surge - all;
  return room <= 0 ? current : current + Math.min(room, replicas - current);
}

/** The new size of a ReplicaSet. */
export interface Size {
  readonly replicaSet: StoredReplicaSet;
  readonly replicas: number;
}

/**
 * The sizes to which old ReplicaSets may shrink: first by Pods that are not available, then as far as enough Pods stay
 * available. The oldest ReplicaSet goes first. Source: pkg/controller/deployment/rolling.go reconcileOldReplicaSets.
 * @param olds with replicas, the oldest first
 */
export function shrunkSizes(
  deployment: StoredDeployment,
  current: StoredReplicaSet,
  olds: readonly StoredReplicaSet[],
): Size[] {
  const minAvailable = (deployment.spec.replicas ?? 1) - fencepostsOf(deployment).unavailable;
  const newUnavailable = (current.spec.replicas ?? 0) - availableOf(current);
  let broken = wantedReplicas([...olds, current]) - minAvailable - newUnavailable;
  if (broken <= 0) return [];
  const cleaned = olds.map((replicaSet) => {
    const replicas = replicaSet.spec.replicas ?? 0;
    const taken = Math.max(0, Math.min(broken, replicas - availableOf(replicaSet)));
    broken -= taken;
    return { replicaSet, replicas: replicas - taken };
  });
  // A ReplicaSet that has just been shrunk may still report Pods that go: they are not available for long.
  const staying = (one: StoredReplicaSet): number => Math.min(availableOf(one), one.spec.replicas ?? 0);
  let surplus = [...olds, current].reduce((sum, one) => sum + staying(one), 0) - minAvailable;
  const sizes = cleaned.map(({ replicaSet, replicas }) => {
    const taken = Math.max(0, Math.min(surplus, replicas));
    surplus -= taken;
    return { replicaSet, replicas: replicas - taken };
  });
  return sizes.filter(({ replicaSet, replicas }) => replicas !== replicaSet.spec.replicas);
}

export function availableOf({ status }: StoredReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

/**
 * Spreads a change of the Deployment's size over its ReplicaSets, by their share. The rest goes to the largest.
 * Source: pkg/controller/deployment/sync.go scale.
 * @param active those with replicas, the oldest first
 * @param maxReplicasOf the most Pods that the Deployment could have when the ReplicaSet was last scaled
 */
export function proportionalSizes(
  deployment: StoredDeployment,
  active: readonly StoredReplicaSet[],
  maxReplicasOf: (replicaSet: StoredReplicaSet) => number | undefined,
): Size[] {
  const { replicas = 1 } = deployment.spec;
  const allowed = replicas === 0 ? 0 : replicas + fencepostsOf(deployment).surge;
  const toAdd = allowed - wantedReplicas(active);
  const inOrder = (toAdd > 0 ? active.toReversed() : [...active]).toSorted(bySize);
  let added = 0;
  const sizes = inOrder.map((replicaSet) => {
    const size = replicaSet.spec.replicas ?? 0;
    const before = maxReplicasOf(replicaSet) || deployment.status?.replicas || size;
    const wanted = replicas === 0 ? 0 : roundHalfAway((size * allowed) / before);
    const share = limited(wanted - size, toAdd - added, toAdd);
    added += share;
    return { replicaSet, replicas: size + share };
  });
  return sizes.map((entry, index) =>
    index === 0 ? { ...entry, replicas: Math.max(0, entry.replicas + toAdd - added) } : entry,
  );
}

function bySize(a: StoredReplicaSet, b: StoredReplicaSet): number {
  return (b.spec.replicas ?? 0) - (a.spec.replicas ?? 0);
}

/** A share never exceeds what is left to add or to take away. */
function limited(share: number, left: number, toAdd: number): number {
  if (toAdd === 0 || left === 0) return 0;
  return toAdd > 0 ? Math.min(share, left) : Math.max(share, left);
}

function roundHalfAway(value: number): number {
  return value < 0 ? Math.ceil(value - 0.5) : Math.floor(value + 0.5);
}
