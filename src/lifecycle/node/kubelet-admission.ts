import type { StoredPod } from '../../api/objects.ts';
import { hostPortsCollide } from './host-ports.ts';
import { matchesNode } from './node-affinity.ts';
import type { NodeFacts } from './node-facts.ts';
import { isExtendedResource, shortages } from './node-resources.ts';
import { hasUntoleratedTaint } from './taints.ts';
import {
  NODE_AFFINITY,
  NODE_PORTS,
  OS_LABEL,
  OS_NOT_SUPPORTED,
  outOfResource,
  type Rejection,
  TAINT_TOLERATION,
} from '../texts/pod-reasons.ts';

const OS_LABEL_KEY = 'kubernetes.io/os';
/** What programs of a host with another name for its system, such as darwin, are as good as. */
const POD_OS = 'linux';

/**
 * The kubelet's look at a Pod that has come to its node, from the scheduler or by a nodeName set by hand: once, and a
 * Pod that it rejects has Failed. Only the first thing that is wrong is named; extended resources that the node knows
 * nothing of are somebody else's business. Of the operating system, a label of the Pod is compared, as the kubelet does
 * it, not its selector.
 * Source: pkg/kubelet/lifecycle/predicate.go Admit.
 * @param placed the other Pods that the node holds
 * @returns why the Pod is rejected; undefined: it runs
 */
export function admit(pod: StoredPod, node: NodeFacts, placed: readonly StoredPod[]): Rejection | undefined {
  const { metadata, spec } = pod;
  const osLabel = metadata.labels?.[OS_LABEL_KEY];
  if (osLabel !== undefined && osLabel !== node.labels[OS_LABEL_KEY]) return OS_LABEL;
  if (spec.os !== undefined && spec.os.name !== POD_OS) return OS_NOT_SUPPORTED;
  const others = placed.map((other) => other.spec);
  const lacking = shortages(spec, node, others).find(({ resource, capacity }) => {
    return capacity > 0n || !isExtendedResource(resource);
  });
  if (lacking !== undefined) return outOfResource(lacking);
  if (!matchesNode(spec, node)) return NODE_AFFINITY;
  if (hostPortsCollide(spec, others)) return NODE_PORTS;
  // Whom the scheduler would not send may run here all the same.
  return hasUntoleratedTaint(spec, node.taints, ['NoExecute']) ? TAINT_TOLERATION : undefined;
}
