import { type NodeSelectorTerm, type PodSpec, SCHEDULING_GATED, type StoredPod } from '../../api/index.ts';
import type { NodeFacts } from '../base/node-facts.ts';
import { CONDITION } from '../texts/condition-reasons.ts';
import { CLAIM, insufficient, MISFIT, noNode, noNodeFor, PREEMPTION, unschedulable } from '../texts/scheduling.ts';
import { type NodePressure, pressureTaints } from './eviction.ts';
import { hostPortsCollide } from './host-ports.ts';
import { affinityNodeNames, matchesNode, matchesTerms } from './node-affinity.ts';
import { isTooLarge, shortages } from './node-resources.ts';
import { priorityOf } from './priority.ts';
import { hasUntoleratedTaint } from './taints.ts';

export type Schedule =
  /** The node takes the Pod. */
  | { readonly type: 'fits'; readonly nodeName: string }
  /** The nodeName is this node: the scheduler does nothing. */
  | { readonly type: 'placed' }
  /** The nodeName is another node: no node here runs the Pod. */
  | { readonly type: 'elsewhere'; readonly nodeName: string }
  /** The Pod stays Pending. Reason and message go into its condition PodScheduled. */
  | {
      readonly type: 'waits';
      readonly reason: typeof SCHEDULING_GATED.reason | typeof CONDITION.unschedulable;
      readonly message: string;
      /** The Pods that go, so that this one fits. */
      readonly victims?: readonly StoredPod[];
    };

/** A claim, as the scheduler sees it. Without these facts, the claim is bound to a volume that all nodes reach. */
export interface ClaimFacts {
  readonly isDeleted?: boolean;
  readonly isUnbound?: boolean;
  /** The volume that the claim has lost. */
  readonly lostVolume?: string | undefined;
  /** The nodes that reach its volume. */
  readonly nodes?: readonly NodeSelectorTerm[] | undefined;
}

/** The facts of the scheduler besides the Pod. */
export interface SchedulerFacts {
  readonly node: NodeFacts;
  /** The other Pods of the node: those with its nodeName that have not ended. */
  readonly placed: readonly StoredPod[];
  /**
   * Pods that wait until preempted Pods have gone. A Pod of no lower priority keeps its room. Default: none.
   * Source: pkg/scheduler/framework/runtime/framework.go RunFilterPluginsWithNominatedPods.
   */
  readonly nominated?: readonly StoredPod[] | undefined;
  /** The claim of this name in the Pod's namespace. Undefined: there is none. */
  readonly claim: (name: string) => ClaimFacts | undefined;
  /** The lack of memory or disk space on the node. Default: none. */
  readonly pressure?: readonly NodePressure[] | undefined;
}

/**
 * Decides whether this node takes the Pod. A Pod without a nodeName passes the scheduler's filters or waits, since the
 * node may satisfy them later. A Pod with a nodeName bypasses the scheduler.
 */
export function schedule(pod: StoredPod, facts: SchedulerFacts): Schedule {
  const { node, claim, pressure = [], nominated = [] } = facts;
  const placed = [...facts.placed, ...nominated.filter((other) => priorityOf(other) >= priorityOf(pod))];
  const { spec } = pod;
  if (spec.nodeName !== undefined && spec.nodeName !== '') {
    return spec.nodeName === node.name ? { type: 'placed' } : { type: 'elsewhere', nodeName: spec.nodeName };
  }
  if ((spec.schedulingGates ?? []).length > 0) return { type: 'waits', ...SCHEDULING_GATED };
  const claims = claimNames(spec).map((name) => ({ name, facts: claim(name) }));
  const problem = claims.map(({ name, facts }) => claimProblem(name, facts)).find((text) => text !== undefined);
  if (problem !== undefined) return { type: 'waits', reason: CONDITION.unschedulable, message: noNodeFor(problem) };
  const reaches = claims.every(({ facts }) => facts?.nodes === undefined || matchesTerms(facts.nodes, node));
  const tainted = { ...node, taints: [...node.taints, ...pressureTaints(pod, pressure)] };
  const misfitBeside = (others: readonly StoredPod[]): Misfit | undefined =>
    findMisfit(
      spec,
      tainted,
      others.map((other) => other.spec),
    ) ?? (reaches ? undefined : { reasons: [MISFIT.volume], preemptible: false });
  const misfit = misfitBeside(placed);
  if (misfit === undefined) return { type: 'fits', nodeName: node.name };
  const answer = misfit.preemptible
    ? preempt(pod, placed, (others) => misfitBeside(others)?.reasons ?? [])
    : { none: PREEMPTION.notHelpful };
  return {
    type: 'waits',
    reason: CONDITION.unschedulable,
    ...('victims' in answer
      ? { message: noNode(misfit.reasons), victims: answer.victims }
      : { message: unschedulable(misfit.reasons, answer.none) }),
  };
}

/** The claims of a Pod. Checks of the Pod alone come before checks of each node. */
function claimNames(spec: PodSpec): string[] {
  if (affinityNodeNames(spec)?.size === 0) return [];
  return (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
}

/** Source: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go podHasPVCs, PreFilter. */
function claimProblem(name: string, facts: ClaimFacts | undefined): string | undefined {
  if (facts === undefined) return CLAIM.notFound(name);
  if (facts.lostVolume !== undefined) return CLAIM.lost(name, facts.lostVolume);
  if (facts.isDeleted === true) return CLAIM.deleted(name);
  return facts.isUnbound === true ? CLAIM.unbound : undefined;
}

interface Misfit {
  /** The reasons. Each counts for the one node. */
  readonly reasons: readonly string[];
  /** True when the Pod would fit without other Pods. */
  readonly preemptible: boolean;
}

/** The taint of a cordoned node. Source: k8s.io/api/core/v1, TaintNodeUnschedulable. */
const CORDON = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/** Runs the scheduler's filters in its order. The first filter that rejects the node gives the reason. */
function findMisfit(spec: PodSpec, node: NodeFacts, others: readonly PodSpec[]): Misfit | undefined {
  const names = affinityNodeNames(spec);
  if (names?.size === 0) return { reasons: [MISFIT.conflictingTerms], preemptible: false };
  if (node.isCordoned === true && hasUntoleratedTaint(spec, [CORDON], ['NoSchedule'])) {
    return { reasons: [MISFIT.cordoned], preemptible: false };
  }
  if (names !== undefined && !names.has(node.name)) return { reasons: [MISFIT.otherNode], preemptible: false };
  if (hasUntoleratedTaint(spec, node.taints, ['NoSchedule', 'NoExecute'])) {
    return { reasons: [MISFIT.taints], preemptible: false };
  }
  if (!matchesNode(spec, node)) return { reasons: [MISFIT.affinity], preemptible: false };
  if (hostPortsCollide(spec, others)) return { reasons: [MISFIT.hostPorts], preemptible: true };
  const lacking = shortages(spec, node, others);
  if (lacking.length === 0) return undefined;
  const reasons = lacking.map(({ resource }) => (resource === 'pods' ? MISFIT.tooManyPods : insufficient(resource)));
  return { reasons, preemptible: !lacking.some(isTooLarge) };
}

/** The Pods that go, at least one, or the reason why none goes: the end of the message of the waiting Pod. */
type Preemption = { readonly victims: readonly StoredPod[] } | { readonly none: string };

/**
 * Chooses the Pods that make room for a Pod of higher priority: as few as possible, the least important first. Source:
 * pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go SelectVictimsOnNode,
 * PodEligibleToPreemptOthers.
 * @param placed the Pods of the node
 * @param misfitsBeside the reasons why the Pod does not fit beside these Pods; none: it fits
 */
function preempt(
  pod: StoredPod,
  placed: readonly StoredPod[],
  misfitsBeside: (others: readonly StoredPod[]) => readonly string[],
): Preemption {
  if (pod.spec.preemptionPolicy === 'Never') return { none: PREEMPTION.never };
  const isLower = (other: StoredPod): boolean => priorityOf(other) < priorityOf(pod);
  const lower = placed.filter(isLower);
  if (lower.some(({ metadata }) => metadata.deletionTimestamp !== undefined)) return { none: PREEMPTION.underWay };
  if (lower.length === 0) return { none: PREEMPTION.noVictims };
  const staying = placed.filter((other) => !isLower(other));
  const lasting = misfitsBeside(staying);
  if (lasting.length > 0) return { none: noNode(lasting) };
  const victims: StoredPod[] = [];
  for (const other of lower.toSorted(byImportance)) {
    staying.push(other);
    if (misfitsBeside(staying).length === 0) continue;
    staying.pop();
    victims.push(other);
  }
  return { victims };
}

/** By priority, the highest first, then by start, the earliest first. Source: pkg/scheduler/util/utils.go. */
function byImportance(one: StoredPod, other: StoredPod): number {
  return (
    priorityOf(other) - priorityOf(one) || (one.status.startTime ?? '').localeCompare(other.status.startTime ?? '')
  );
}
