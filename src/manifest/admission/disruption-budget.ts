import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../api/generated/types.ts';
import { controllerOf, type KubeObject, type StoredPod } from '../../api/objects.ts';
import { selectorMatches } from '../validate/labels.ts';

/** A PodDisruptionBudget whose status holds now. */
export type JudgedBudget = PodDisruptionBudget & { readonly status: PodDisruptionBudgetStatus };

/** The reason why an eviction is refused now. */
export interface EvictionProblem {
  readonly message: string;
  /** The budget and its numbers. */
  readonly cause?: string;
}

const VIOLATION = "Cannot evict pod as it would violate the pod's disruption budget.";
const SEVERAL = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';

const isReady = ({ status }: StoredPod): boolean =>
  (status.conditions ?? []).some((condition) => condition.type === 'Ready' && condition.status === 'True');

/**
 * Computes the status of a budget. Source: pkg/controller/disruption/disruption.go, trySync.
 * @param objects the Pods and workloads of its namespace
 */
export function withBudgetStatus<T extends PodDisruptionBudget>(
  budget: T,
  objects: readonly KubeObject[],
): T & JudgedBudget {
  const pods = selectedPods(budget, objects);
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  const isCounted = typeof minAvailable === 'number' && maxUnavailable === undefined;
  const expectedPods = isCounted ? pods.length : replicasOf(pods, objects);
  const wanted =
    maxUnavailable === undefined
      ? shareOf(minAvailable ?? 1, expectedPods)
      : expectedPods - shareOf(maxUnavailable, expectedPods);
  const desiredHealthy = Math.max(0, wanted);
  const currentHealthy = pods.filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined).length;
  const disruptionsAllowed = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const { generation = 1 } = budget.metadata ?? {};
  const counts = { currentHealthy, desiredHealthy, disruptionsAllowed, expectedPods };
  return { ...budget, status: { ...counts, observedGeneration: generation } };
}

function selectedPods({ spec }: PodDisruptionBudget, objects: readonly KubeObject[]): StoredPod[] {
  const pods = objects.filter(({ kind }) => kind === 'Pod') as readonly unknown[] as readonly StoredPod[];
  return pods.filter(
    ({ metadata, status }) =>
      selectorMatches(spec?.selector, metadata.labels) && status.phase !== 'Succeeded' && status.phase !== 'Failed',
  );
}

/** The replicas of all controllers of the Pods. A Pod without one counts alone. */
function replicasOf(pods: readonly StoredPod[], objects: readonly KubeObject[]): number {
  const byUid = new Map(objects.map((object) => [object.metadata.uid, object]));
  const ownerOf = (object: KubeObject | StoredPod): KubeObject | undefined => byUid.get(controllerOf(object)?.uid);
  const replicas = new Map<string, number>();
  for (const pod of pods) {
    const owner = ownerOf(pod);
    const top = (owner && ownerOf(owner)) ?? owner;
    const { replicas: count } = { ...(top?.['spec'] as { replicas?: number } | undefined) };
    replicas.set(top?.metadata.uid ?? pod.metadata.uid, count ?? 1);
  }
  return [...replicas.values()].reduce((sum, count) => sum + count, 0);
}

/** A number, or a percentage rounded up. */
function shareOf(share: number | string, whole: number): number {
  return typeof share === 'number' ? share : Math.ceil((Number.parseInt(share, 10) / 100) * whole);
}

/**
 * The reason why the budgets of a namespace do not permit an eviction. Undefined: they permit it.
 * Source: pkg/registry/core/pod/storage/eviction.go.
 */
export function evictionProblem(pod: StoredPod, budgets: readonly JudgedBudget[]): EvictionProblem | undefined {
  const { metadata, status } = pod;
  const isAway = ['Succeeded', 'Failed', 'Pending'].includes(status.phase ?? '');
  if (isAway || metadata.deletionTimestamp !== undefined) return undefined;
  const [budget, ...others] = budgets.filter(({ spec }) => selectorMatches(spec?.selector, metadata.labels));
  if (budget === undefined) return undefined;
  if (others.length > 0) return { message: SEVERAL };
  const { currentHealthy, desiredHealthy, disruptionsAllowed } = budget.status;
  const isGuarded = currentHealthy >= desiredHealthy && desiredHealthy > 0;
  if (!isReady(pod) && (isGuarded || budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow')) return undefined;
  if (disruptionsAllowed > 0) return undefined;
  const name = budget.metadata?.name ?? '';
  const numbers = `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  return { message: VIOLATION, cause: `The disruption budget ${name} ${numbers}` };
}
