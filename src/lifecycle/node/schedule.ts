import type { PodSpec } from '../../api/generated/types.ts';
import { SCHEDULING_GATED, type StoredPod } from '../../api/objects.ts';
import { hostPortsCollide } from './host-ports.ts';
import { affinityNodeNames, matchesNode } from './node-affinity.ts';
import { type NodePressure, pressureTaints } from './eviction.ts';
import type { NodeFacts } from './node-facts.ts';
import { isTooLarge, shortages } from './node-resources.ts';
import { hasUntoleratedTaint } from './taints.ts';
import { CONDITION } from '../texts/condition-reasons.ts';
import { claimNotFound, insufficient, MISFIT, noNode, PREEMPTION, unschedulable } from '../texts/scheduling.ts';
import { preempt } from './preemption.ts';

export type Schedule =
  /** The node takes the Pod. */
  | { readonly type: 'fits'; readonly nodeName: string }
  /** The nodeName is this node: the scheduler does nothing. */
  | { readonly type: 'placed' }
  /** The nodeName is another node: no node here runs the Pod. */
  | { readonly type: 'elsewhere'; readonly nodeName: string }
  /** The Pod stays Pending. Reason and message are those of its condition PodScheduled. */
  | {
      readonly type: 'waits';
      readonly reason: typeof SCHEDULING_GATED.reason | typeof CONDITION.unschedulable;
      readonly message: string;
      /** The Pods that go, so that this one fits. */
      readonly victims?: readonly StoredPod[];
    };

/** The facts of the scheduler besides the Pod. */
export interface SchedulerFacts {
  readonly node: NodeFacts;
  /** The other Pods of the node: those with its nodeName that have not ended. */
  readonly placed: readonly StoredPod[];
  /** True when the Pod's namespace has a claim of this name. */
  readonly hasClaim: (name: string) => boolean;
  /** The lack of memory or disk space on the node. Default: none. */
  readonly pressure?: readonly NodePressure[] | undefined;
}

/**
 * Decides whether this node takes the Pod. A Pod without a nodeName passes the scheduler's filters or waits, since the
 * node may satisfy them later. A Pod with a nodeName bypasses the scheduler.
 */
export function schedule(pod: StoredPod, { node, placed, hasClaim, pressure = [] }: SchedulerFacts): Schedule {
  const { spec } = pod;
  if (spec.nodeName !== undefined && spec.nodeName !== '') {
    return spec.nodeName === node.name ? { type: 'placed' } : { type: 'elsewhere', nodeName: spec.nodeName };
  }
  if ((spec.schedulingGates ?? []).length > 0) return { type: 'waits', ...SCHEDULING_GATED };
  const missing = missingClaim(spec, hasClaim);
  if (missing !== undefined) {
    return { type: 'waits', reason: CONDITION.unschedulable, message: claimNotFound(missing) };
  }
  const tainted = { ...node, taints: [...node.taints, ...pressureTaints(pod, pressure)] };
  const misfitBeside = (others: readonly StoredPod[]): Misfit | undefined =>
    findMisfit(
      spec,
      tainted,
      others.map((other) => other.spec),
    );
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

/** A claim of the Pod that does not exist. Checks of the Pod alone come before checks of each node. */
function missingClaim(spec: PodSpec, hasClaim: (name: string) => boolean): string | undefined {
  if (affinityNodeNames(spec)?.size === 0) return undefined;
  const claims = (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
  return claims.find((name) => !hasClaim(name));
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
