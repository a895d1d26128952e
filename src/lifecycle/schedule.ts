import type { PodSpec } from '../api/generated/types.ts';
import type { StoredPod } from '../api/objects.ts';
import { SCHEDULING_GATED } from '../api/scheduling-gated.ts';
import { affinityNodeNames, matchesNode } from './node-affinity.ts';
import type { NodeFacts } from './node-facts.ts';
import { isExtendedResource, isTooLarge, shortages } from './node-resources.ts';
import { CONDITION } from './texts/condition-reasons.ts';
import { NODE_AFFINITY, outOfResource, type Rejection, rejectionMessage } from './texts/pod-reasons.ts';
import { insufficient, MISFIT, unschedulable } from './texts/scheduling.ts';

export type Schedule =
  | { readonly ok: true; readonly nodeName: string }
  /** The Pod stays Pending; reason and message are those of its condition PodScheduled. */
  | {
      readonly ok: false;
      readonly rejected: false;
      readonly reason: typeof SCHEDULING_GATED.reason | typeof CONDITION.unschedulable;
      readonly message: string;
    }
  /** The Pod is Failed at once; reason and message are those of its status. */
  | {
      readonly ok: false;
      readonly rejected: true;
      readonly reason: string;
      readonly message: string;
      /** Text of the Warning event with the same reason. */
      readonly why: string;
    };

const HOSTNAME_LABEL = 'kubernetes.io/hostname';

/**
 * Finds out whether this node takes the Pod. A Pod without a node goes through the scheduler's filters: what it asks
 * of a node may come true later, so it waits. A Pod whose nodeName was set by hand has passed the scheduler by; the
 * kubelet looks at it once, and a Pod that it rejects has Failed.
 *
 * A nodeName that is not this node's: nobody else could ever run the Pod, so this machine stands in for that node, and
 * bears its name while it decides.
 *
 * @param placed the other Pods that the node holds: those that have a node and have not ended
 */
export function schedule(pod: StoredPod, node: NodeFacts, placed: readonly StoredPod[] = []): Schedule {
  const { spec } = pod;
  const others = placed.map((other) => other.spec);
  if (spec.nodeName !== undefined && spec.nodeName !== '') return admit(spec, named(node, spec.nodeName), others);
  if ((spec.schedulingGates ?? []).length > 0) {
    return { ok: false, rejected: false, ...SCHEDULING_GATED };
  }
  const misfit = findMisfit(spec, node, others);
  if (misfit === undefined) return { ok: true, nodeName: node.name };
  const message = unschedulable(misfit.reasons, misfit.preemptible);
  return { ok: false, rejected: false, reason: CONDITION.unschedulable, message };
}

function named(node: NodeFacts, name: string): NodeFacts {
  return name === node.name ? node : { ...node, name, labels: { ...node.labels, [HOSTNAME_LABEL]: name } };
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
  if (!matchesNode(spec, node)) return { reasons: [MISFIT.affinity], preemptible: false };
  const lacking = shortages(spec, node, others);
  if (lacking.length === 0) return undefined;
  const reasons = lacking.map(({ resource }) => (resource === 'pods' ? MISFIT.tooManyPods : insufficient(resource)));
  return { reasons, preemptible: !lacking.some(isTooLarge) };
}

/**
 * The kubelet's look at a Pod that somebody has put on its node. Only the first thing that is wrong is named; extended
 * resources that the node knows nothing of are somebody else's business.
 * Source: pkg/kubelet/lifecycle/predicate.go Admit.
 */
function admit(spec: PodSpec, node: NodeFacts, others: readonly PodSpec[]): Schedule {
  const lacking = shortages(spec, node, others).find(({ resource, capacity }) => {
    return capacity > 0n || !isExtendedResource(resource);
  });
  if (lacking !== undefined) return rejected(outOfResource(lacking));
  if (!matchesNode(spec, node)) return rejected(NODE_AFFINITY);
  return { ok: true, nodeName: node.name };
}

function rejected({ reason, why }: Rejection): Schedule {
  return { ok: false, rejected: true, reason, message: rejectionMessage(why), why };
}
