import type { PodSpec } from '../../api/generated/types.ts';
import type { StoredPod } from '../../api/objects.ts';
import { SCHEDULING_GATED } from '../../api/scheduling-gated.ts';
import { hostPortsCollide } from './host-ports.ts';
import { affinityNodeNames, matchesNode } from './node-affinity.ts';
import type { NodeFacts } from './node-facts.ts';
import { isTooLarge, shortages } from './node-resources.ts';
import { hasUntoleratedTaint } from './taints.ts';
import { CONDITION } from '../texts/condition-reasons.ts';
import { claimNotFound, insufficient, MISFIT, unschedulable } from '../texts/scheduling.ts';

export type Schedule =
  /** The node takes the Pod. */
  | { readonly type: 'fits'; readonly nodeName: string }
  /** Its nodeName is that of the node: the scheduler has nothing to say. */
  | { readonly type: 'placed' }
  /** Its nodeName is that of another node, and nobody here runs it. */
  | { readonly type: 'elsewhere'; readonly nodeName: string }
  /** The Pod stays Pending; reason and message are those of its condition PodScheduled. */
  | {
      readonly type: 'waits';
      readonly reason: typeof SCHEDULING_GATED.reason | typeof CONDITION.unschedulable;
      readonly message: string;
    };

/** What the scheduler knows besides the Pod. */
export interface SchedulerFacts {
  readonly node: NodeFacts;
  /** The other Pods that the node holds: those that have a node and have not ended. */
  readonly placed: readonly StoredPod[];
  /** Is there a claim of that name in the Pod's namespace? */
  readonly hasClaim: (name: string) => boolean;
}

/**
 * Finds out whether this node takes the Pod. A Pod without a node goes through the scheduler's filters: what it asks
 * of a node may come true later, so it waits. A Pod whose nodeName was set by hand passes the scheduler by.
 */
export function schedule(pod: StoredPod, { node, placed, hasClaim }: SchedulerFacts): Schedule {
  const { spec } = pod;
  if (spec.nodeName !== undefined && spec.nodeName !== '') {
    return spec.nodeName === node.name ? { type: 'placed' } : { type: 'elsewhere', nodeName: spec.nodeName };
  }
  if ((spec.schedulingGates ?? []).length > 0) return { type: 'waits', ...SCHEDULING_GATED };
  const others = placed.map((other) => other.spec);
  const message = unschedulableMessage(spec, { node, others, hasClaim });
  return message === undefined
    ? { type: 'fits', nodeName: node.name }
    : { type: 'waits', reason: CONDITION.unschedulable, message };
}

/** What is asked of all nodes comes before what is asked of each. */
function unschedulableMessage(
  spec: PodSpec,
  { node, others, hasClaim }: Pick<SchedulerFacts, 'node' | 'hasClaim'> & { readonly others: readonly PodSpec[] },
): string | undefined {
  const claims = (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
  const missing = affinityNodeNames(spec)?.size === 0 ? undefined : claims.find((name) => !hasClaim(name));
  if (missing !== undefined) return claimNotFound(missing);
  const misfit = findMisfit(spec, node, others);
  return misfit === undefined ? undefined : unschedulable(misfit.reasons, misfit.preemptible);
}

interface Misfit {
  /** Each counts the one node there is. */
  readonly reasons: readonly string[];
  /** Could the Pod fit if others went away? */
  readonly preemptible: boolean;
}

/** The scheduler's filters, in its order: the first one that refuses the node says why. */
function findMisfit(spec: PodSpec, node: NodeFacts, others: readonly PodSpec[]): Misfit | undefined {
  const names = affinityNodeNames(spec);
  if (names?.size === 0) return { reasons: [MISFIT.conflictingTerms], preemptible: false };
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
