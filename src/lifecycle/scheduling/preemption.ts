import { matchesSelector, type PodDisruptionBudget, type StoredPod } from '../../api/index.ts';
import { priorityOf } from '../node/priority.ts';
import { DISRUPTION_TARGET } from '../texts/condition-reasons.ts';
import { noNode, PREEMPTED, PREEMPTION } from '../texts/scheduling.ts';
import { type Filtered, misfitOn } from './filter-nodes.ts';
import type { FilterPlugin } from './base/plugin.ts';
import { type Snapshot, stateOf, withPods } from './base/snapshot.ts';

/** The Pods that would go from one node. */
export interface PreemptionCandidate {
  readonly nodeName: string;
  /** The most important first. At least one. */
  readonly victims: readonly StoredPod[];
  /** The number of victims whose going breaks a PodDisruptionBudget. */
  readonly violations: number;
}

/** The answer of preemption about a Pod that no node takes. */
export type PreemptionOutcome =
  /** The Pod may not preempt Pods now. It keeps the node that it is nominated for. */
  | { readonly type: 'ineligible'; readonly why: string }
  /** No deletion of other Pods helps. The Pod is nominated for no node. */
  | { readonly type: 'none'; readonly why: string }
  /** All candidates, and those among which nothing decides. */
  | {
      readonly type: 'candidates';
      readonly candidates: readonly PreemptionCandidate[];
      readonly best: readonly PreemptionCandidate[];
    };

/**
 * Looks for Pods of lower priority that make room for a Pod. Source: pkg/scheduler/framework/preemption/preemption.go,
 * plugins/defaultpreemption/default_preemption.go.
 */
export function findVictims(
  pod: StoredPod,
  snapshot: Snapshot,
  { rejections, rejected }: Filtered,
  plugins: readonly FilterPlugin[],
): PreemptionOutcome {
  if (pod.spec.preemptionPolicy === 'Never') return { type: 'ineligible', why: PREEMPTION.never };
  if (isUnderWay(pod, snapshot, rejections)) return { type: 'ineligible', why: PREEMPTION.underWay };
  const candidates: PreemptionCandidate[] = [];
  const reasons: string[] = [];
  for (const { node } of snapshot.nodes) {
    const isHelpful = rejected === undefined && rejections.get(node.name)?.isFinal === false;
    const answer = isHelpful ? victimsOn(node.name, pod, snapshot, plugins) : [PREEMPTION.notHelpful];
    if (Array.isArray(answer)) reasons.push(...answer);
    else candidates.push(answer as PreemptionCandidate);
  }
  if (candidates.length === 0) return { type: 'none', why: noNode(snapshot.nodes.length, reasons) };
  return { type: 'candidates', candidates, best: leastHarmful(candidates) };
}

/**
 * The Pods that no longer wait for a node, since a Pod of higher priority has cleared room for itself there. Source:
 * pkg/scheduler/framework/preemption/preemption.go getLowerPriorityNominatedPods.
 * @param nominated Pods that wait for preempted Pods of some node
 */
export function outranked(pod: StoredPod, nodeName: string, nominated: readonly StoredPod[]): StoredPod[] {
  return nominated.filter(
    (other) => other.status.nominatedNodeName === nodeName && priorityOf(other) < priorityOf(pod),
  );
}

/** True while a Pod that goes for this one is still ending on its nominated node. */
function isUnderWay(pod: StoredPod, snapshot: Snapshot, rejections: Filtered['rejections']): boolean {
  const { nominatedNodeName } = pod.status;
  if (nominatedNodeName === undefined || rejections.get(nominatedNodeName)?.isFinal === true) return false;
  const pods = stateOf(snapshot, nominatedNodeName)?.pods ?? [];
  return pods.some((other) => priorityOf(other) < priorityOf(pod) && isEndingByPreemption(other));
}

function isEndingByPreemption({ metadata, status }: StoredPod): boolean {
  const isTarget = status.conditions?.some(
    ({ type, status: value, reason }) => type === DISRUPTION_TARGET && value === 'True' && reason === PREEMPTED.reason,
  );
  return metadata.deletionTimestamp !== undefined && isTarget === true;
}

/** The Pods of a node that go: as few as possible, the least important first. Else the reasons why none goes. */
function victimsOn(
  nodeName: string,
  pod: StoredPod,
  snapshot: Snapshot,
  plugins: readonly FilterPlugin[],
): PreemptionCandidate | readonly string[] {
  const pods = stateOf(snapshot, nodeName)?.pods ?? [];
  const lower = pods.filter((other) => priorityOf(other) < priorityOf(pod)).toSorted(byImportance);
  if (lower.length === 0) return [PREEMPTION.noVictims];
  const staying = pods.filter((other) => !lower.includes(other));
  const misfit = (): readonly string[] | undefined =>
    misfitOn(nodeName, pod, withPods(snapshot, nodeName, [...staying]), plugins)?.reasons;
  const lasting = misfit();
  if (lasting !== undefined) return lasting;
  const guarded = violating(lower, snapshot.budgets());
  // Guarded Pods have the first choice to stay.
  const order = [...guarded, ...lower.filter((other) => !guarded.has(other))];
  const victims = order.filter((other) => {
    staying.push(other);
    if (misfit() === undefined) return false;
    staying.pop();
    return true;
  });
  return {
    nodeName,
    victims: victims.toSorted(byImportance),
    violations: victims.filter((one) => guarded.has(one)).length,
  };
}

/** The Pods whose going breaks a budget, when they go in this order. */
function violating(pods: readonly StoredPod[], budgets: readonly PodDisruptionBudget[]): Set<StoredPod> {
  const left = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
  const violated = pods.filter(({ metadata }) => {
    const guards = budgets.filter(
      (budget) =>
        budget.metadata?.namespace === metadata.namespace &&
        isSelective(budget) &&
        matchesSelector(budget.spec?.selector, metadata.labels) &&
        !Object.hasOwn(budget.status?.disruptedPods ?? {}, metadata.name),
    );
    for (const budget of guards) left.set(budget, (left.get(budget) ?? 0) - 1);
    return guards.some((budget) => (left.get(budget) ?? 0) < 0);
  });
  return new Set(violated);
}

/** An empty selector of a budget guards nothing here. */
function isSelective({ spec }: PodDisruptionBudget): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  return Object.keys(matchLabels).length + matchExpressions.length > 0;
}

/** By priority, the highest first, then by start, the earliest first. Source: pkg/scheduler/util/utils.go. */
function byImportance(one: StoredPod, other: StoredPod): number {
  return priorityOf(other) - priorityOf(one) || startOf(one).localeCompare(startOf(other));
}

/** Pods that have not started come last. */
function startOf({ status }: StoredPod): string {
  return status.startTime ?? '9999';
}

/** Makes all priorities positive, so that fewer victims always have a smaller sum. */
const PRIORITY_OFFSET = 2 ** 31;

/** The harm that a candidate does, from the first criterion to the last one. Smaller is better. */
const HARM: ReadonlyArray<(candidate: PreemptionCandidate) => number> = [
  ({ violations }) => violations,
  ({ victims }) => Math.max(...victims.map(priorityOf)),
  ({ victims }) => victims.reduce((sum, victim) => sum + priorityOf(victim) + PRIORITY_OFFSET, 0),
  ({ victims }) => victims.length,
  // The start of the most important victims: the later, the better.
  ({ victims }) => -earliestStart(victims),
];

function earliestStart(victims: readonly StoredPod[]): number {
  const highest = Math.max(...victims.map(priorityOf));
  const starts = victims.filter((victim) => priorityOf(victim) === highest).map(startOf);
  return Math.min(...starts.map((start) => (start === '9999' ? Infinity : Date.parse(start))));
}

/** Source: pkg/scheduler/framework/preemption/preemption.go pickOneNodeForPreemption. */
function leastHarmful(candidates: readonly PreemptionCandidate[]): readonly PreemptionCandidate[] {
  return HARM.reduce((left: readonly PreemptionCandidate[], harm) => {
    const least = Math.min(...left.map(harm));
    return left.filter((candidate) => harm(candidate) === least);
  }, candidates);
}
