import {
  controllerOf,
  type KubeObject,
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  qualifiedPlural,
  resourceTypeOf,
  type StoredPod,
} from '../../api/index.ts';
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

/** The numbers of a budget, and what its controller tells of them. */
interface BudgetCounts {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  /** The reason why the replicas of the Pods cannot be counted. */
  readonly problem?: string;
  /** True when Pods count for nothing, because no controller has them. */
  readonly hasUnmanaged?: boolean | undefined;
}

/**
 * Computes the status of a budget. The time of its condition is the time of the last change of a Pod's readiness.
 * Source: pkg/controller/disruption/disruption.go, trySync, updatePdbStatus, failSafe; pkg/controller/util/pdb.
 * @param objects the Pods and workloads of its namespace
 */
export function withBudgetStatus<T extends PodDisruptionBudget>(
  budget: T,
  objects: readonly KubeObject[],
): T & JudgedBudget {
  const pods = selectedPods(budget, objects);
  const { expectedPods, desiredHealthy, problem } = countsOf(budget, pods, objects);
  const currentHealthy = pods.filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined).length;
  const isBlocked = problem !== undefined || expectedPods === 0;
  const disruptionsAllowed = isBlocked ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const { generation: observedGeneration = 1, creationTimestamp } = budget.metadata ?? {};
  const outcome = disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods';
  const condition = {
    type: 'DisruptionAllowed',
    status: disruptionsAllowed > 0 ? 'True' : 'False',
    observedGeneration,
    lastTransitionTime: lastChange(pods) ?? creationTimestamp ?? '',
    reason: problem === undefined ? outcome : 'SyncFailed',
    message: problem ?? '',
  };
  const counts = { currentHealthy, desiredHealthy, disruptionsAllowed, expectedPods };
  return { ...budget, status: { ...counts, observedGeneration, conditions: [condition] } };
}

/** The events of a new or changed budget. Source: disruption.go trySync, getExpectedPodCount. */
export function budgetEvents(
  budget: PodDisruptionBudget,
  objects: readonly KubeObject[],
): { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string }[] {
  const pods = selectedPods(budget, objects);
  if (pods.length === 0) return [{ type: 'Normal', reason: 'NoPods', message: 'No matching pods found' }];
  const { problem, hasUnmanaged } = countsOf(budget, pods, objects);
  if (problem !== undefined) {
    const message = `Failed to calculate the number of expected pods: ${problem}`;
    return [{ type: 'Warning', reason: 'CalculateExpectedPodCountFailed', message }];
  }
  if (hasUnmanaged !== true) return [];
  return [{ type: 'Warning', reason: 'UnmanagedPods', message: UNMANAGED }];
}

const UNMANAGED =
  'Pods selected by this PodDisruptionBudget were found to be unmanaged. As a result, the status of the PDB cannot ' +
  'be calculated correctly, which may result in undefined behavior. To account for these pods please set ' +
  '".spec.minAvailable" field of the PDB to an integer value.';

function countsOf(
  { spec }: PodDisruptionBudget,
  pods: readonly StoredPod[],
  objects: readonly KubeObject[],
): BudgetCounts {
  const { minAvailable, maxUnavailable } = spec ?? {};
  if (maxUnavailable === undefined && minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  if (maxUnavailable === undefined && typeof minAvailable === 'number')
    return { expectedPods: pods.length, desiredHealthy: minAvailable };
  const { expectedPods, problem, hasUnmanaged } = scaleOf(pods, objects);
  if (problem !== undefined) return { expectedPods: 0, desiredHealthy: 0, problem };
  const desiredHealthy =
    maxUnavailable === undefined
      ? shareOf(minAvailable ?? 0, expectedPods)
      : Math.max(0, expectedPods - shareOf(maxUnavailable, expectedPods));
  return { expectedPods, desiredHealthy, hasUnmanaged };
}

function selectedPods({ spec }: PodDisruptionBudget, objects: readonly KubeObject[]): StoredPod[] {
  const pods = objects.filter(({ kind }) => kind === 'Pod') as readonly unknown[] as readonly StoredPod[];
  return pods.filter(({ metadata }) => selectorMatches(spec?.selector, metadata.labels));
}

/** The replicas that the controllers of the Pods want. Source: getExpectedScale, getScaleController. */
function scaleOf(pods: readonly StoredPod[], objects: readonly KubeObject[]): Omit<BudgetCounts, 'desiredHealthy'> {
  const byUid = new Map(objects.map((object) => [object.metadata.uid, object]));
  const replicas = new Map<string, number>();
  let hasUnmanaged = false;
  for (const pod of pods) {
    const reference = controllerOf(pod);
    if (reference === undefined) {
      hasUnmanaged = true;
      continue;
    }
    const owner = byUid.get(reference.uid);
    const top = owner && (byUid.get(controllerOf(owner)?.uid) ?? owner);
    const count = (top?.['spec'] as { replicas?: number } | undefined)?.replicas;
    if (count === undefined) {
      const problem = `${qualifiedPlural(resourceTypeOf(reference))} does not implement the scale subresource`;
      return { expectedPods: 0, problem };
    }
    replicas.set(top?.metadata.uid ?? '', count);
  }
  return { expectedPods: [...replicas.values()].reduce((sum, count) => sum + count, 0), hasUnmanaged };
}

function lastChange(pods: readonly StoredPod[]): string | undefined {
  const times = pods.flatMap(({ status }) => {
    const ready = (status.conditions ?? []).find(({ type }) => type === 'Ready');
    return ready?.lastTransitionTime ?? [];
  });
  return times.toSorted().at(-1);
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
  const failed = budget.status.conditions?.find(({ reason }) => reason === 'SyncFailed');
  const why =
    failed === undefined
      ? `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
      : `does not allow evicting pods currently because it failed sync: ${failed.message}`;
  return { message: VIOLATION, cause: `The disruption budget ${name} ${why}` };
}
