import type { StoredPod } from '../../api/index.ts';
import { hostPortsCollide } from './host-ports.ts';
import { matchesNode } from './node-affinity.ts';
import { isUnwelcome, type NodePressure } from './eviction.ts';
import type { NodeFacts } from '../base/node-facts.ts';
import { isExtendedResource, shortages } from './node-resources.ts';
import { sysctlRejection } from './sysctls.ts';
import { hasUntoleratedTaint } from './taints.ts';
import {
  EVICTED,
  EVICTION,
  NODE_AFFINITY,
  NODE_PORTS,
  OS_LABEL,
  OS_NOT_SUPPORTED,
  outOfResource,
  type Rejection,
  SHUTTING_DOWN,
  TAINT_TOLERATION,
} from '../texts/pod-reasons.ts';

const OS_LABEL_KEY = 'kubernetes.io/os';
/** The operating system of every Pod, also on hosts with another system such as darwin. */
const POD_OS = 'linux';

/**
 * Checks a Pod that has come to the node from the scheduler or by its nodeName. The kubelet checks a Pod once: a
 * rejected Pod is Failed, with the first reason only. It ignores extended resources that the node does not know, and
 * compares the operating system with a label of the Pod, not with its selector. Source:
 * pkg/kubelet/lifecycle/predicate.go Admit; the order of the handlers: pkg/kubelet/kubelet.go NewMainKubelet.
 * @param placed the other Pods of the node
 * @param pressure what the node lacks
 * @returns the reason for the rejection; undefined: the Pod runs
 */
export function admit(
  pod: StoredPod,
  node: NodeFacts,
  placed: readonly StoredPod[],
  pressure: readonly NodePressure[] = [],
): Rejection | undefined {
  const { metadata, spec } = pod;
  if (isUnwelcome(pod, pressure)) return { reason: EVICTED, why: EVICTION.pressure(pressure) };
  const ofSysctls = sysctlRejection(spec);
  if (ofSysctls !== undefined) return ofSysctls;
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
  // A NoSchedule taint only stops the scheduler: the kubelet ignores it.
  if (hasUntoleratedTaint(spec, node.taints, ['NoExecute'])) return TAINT_TOLERATION;
  return node.isShuttingDown === true ? SHUTTING_DOWN : undefined;
}
