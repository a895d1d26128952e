import { goQuote } from '../../api/index.ts';
// The `reason` and `message` of a failed Pod's status.

/** Source: pkg/kubelet/active_deadline.go. */
export const DEADLINE_EXCEEDED = {
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
} as const;

/** Source: pkg/kubelet/eviction/eviction_manager.go Reason. */
export const EVICTED = 'Evicted';

/** Messages of an eviction. Each ends in a blank. Source: pkg/kubelet/eviction/helpers.go. */
export const EVICTION = {
  emptyDir: (volume: string, limit: string): string =>
    `Usage of EmptyDir volume "${volume}" exceeds the limit "${limit}". `,
  pod: (limit: string): string => `Pod ephemeral local storage usage exceeds the total limit of containers ${limit}. `,
  container: (container: string, limit: string): string =>
    `Container ${container} exceeded its local ephemeral storage limit "${limit}". `,
  node: (what: { readonly resource: string; readonly least: string; readonly available: string }): string =>
    `The node was low on resource: ${what.resource}. ` +
    `Threshold quantity: ${what.least}, available: ${what.available}. `,
  consumer: (one: {
    readonly container: string;
    readonly used: string;
    readonly request: string;
    readonly resource: string;
  }): string =>
    `Container ${one.container} was using ${one.used}, request is ${one.request}, ` +
    `has larger consumption of ${one.resource}. `,
  pressure: (conditions: readonly string[]): string => `The node had condition: [${conditions.join(' ')}]. `,
} as const;

/** Source: pkg/util/node/node.go NodeUnreachablePodReason. */
export const NODE_LOST = 'NodeLost';

/**
 * The message of NodeLost. The text after the colon is podrun's own. Source: pkg/util/node/node.go
 * NodeUnreachablePodMessage.
 * @param agentPid the agent's process, which stands for the node
 */
export function nodeLost(nodeName: string, podName: string, agentPid: number): string {
  return (
    `Node ${nodeName} which was running pod ${podName} is unresponsive: ` +
    `podrun (process ${agentPid}) was killed; the processes that it left were ended`
  );
}

/** podrun's own: podrun itself failed in a step that the Pod waited for. */
export const PODRUN_DEFECT = 'PodrunDefect';

/** podrun's own: the agent was asked to end before it had scheduled the Pod. */
export const ENDED_UNSCHEDULED = {
  reason: 'Terminated',
  message: 'Pod was ended before it could be scheduled',
} as const;

/** The kubelet's rejection of a Pod on its node. */
export interface Rejection {
  readonly reason: string;
  /** The text of the event. */
  readonly why: string;
}

/** The status message of a rejected Pod. Source: pkg/kubelet/kubelet.go rejectPod. */
export function rejectionMessage(why: string): string {
  return `Pod was rejected: ${why}`;
}

/** Source: pkg/kubelet/lifecycle/predicate.go InsufficientResourceError. */
export function outOfResource(shortage: {
  readonly resource: string;
  readonly requested: bigint;
  readonly used: bigint;
  readonly capacity: bigint;
}): Rejection {
  const { resource, requested, used, capacity } = shortage;
  const amounts = `requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  return { reason: `OutOf${resource}`, why: `Node didn't have enough resource: ${resource}, ${amounts}` };
}

/** Source: pkg/kubelet/sysctl/allowlist.go Admit. @param name with dots */
export function sysctlForbidden(name: string): Rejection {
  return { reason: 'SysctlForbidden', why: `forbidden sysctl: ${goQuote(name)} not allowlisted` };
}

/** Source: pkg/kubelet/lifecycle/predicate.go PredicateFailureError, plugins/nodeaffinity ErrReasonPod. */
export const NODE_AFFINITY: Rejection = {
  reason: 'NodeAffinity',
  why: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
};

/** Source: pkg/kubelet/lifecycle/predicate.go rejectPodAdmissionBasedOnOSSelector. */
export const OS_LABEL: Rejection = {
  reason: 'PodOSSelectorNodeLabelDoesNotMatch',
  why: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
};

/** Source: pkg/kubelet/lifecycle/predicate.go rejectPodAdmissionBasedOnOSField. */
export const OS_NOT_SUPPORTED: Rejection = {
  reason: 'PodOSNotSupported',
  why: "Failed to admit pod as the OS field doesn't match node OS",
};

/** Source: pkg/kubelet/lifecycle/predicate.go PredicateFailureError, plugins/nodeports ErrReason. */
export const NODE_PORTS: Rejection = {
  reason: 'NodePorts',
  why: "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
};

/** Source: pkg/kubelet/lifecycle/predicate.go generalFilter, plugins/tainttoleration ErrReasonNotMatch. */
export const TAINT_TOLERATION: Rejection = {
  reason: 'TaintToleration',
  why: "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
};

/** Source: pkg/kubelet/nodeshutdown/nodeshutdown_manager.go Admit. */
export const SHUTTING_DOWN: Rejection = {
  reason: 'NodeShutdown',
  why: 'Pod was rejected as the node is shutting down.',
};

/** The end of a Pod whose node shuts down. Source: pkg/kubelet/nodeshutdown/nodeshutdown_manager.go. */
export const NODE_SHUTDOWN = {
  reason: 'Terminated',
  message: 'Pod was terminated in response to imminent node shutdown.',
} as const;
