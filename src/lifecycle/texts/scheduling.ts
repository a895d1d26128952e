// The messages of the condition PodScheduled and of the event FailedScheduling.

/** The reasons of the scheduler's filters. Each begins with the number of rejected nodes, which is one here. */
export const MISFIT = {
  /** Source: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go errReasonConflict. */
  conflictingTerms: 'pod affinity terms conflict',
  /** Source: pkg/scheduler/framework/types.go FitError, for nodes that PreFilter left out. */
  otherNode: "1 node(s) didn't satisfy plugin(s) [NodeAffinity]",
  /** Source: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go ErrReasonPod. */
  affinity: "1 node(s) didn't match Pod's node affinity/selector",
  /** Source: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go Filter. */
  taints: '1 node(s) had untolerated taint(s)',
  /** Source: pkg/scheduler/framework/plugins/nodeports/node_ports.go ErrReason. */
  hostPorts: "1 node(s) didn't have free ports for the requested pod ports",
  /** Source: pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest. */
  tooManyPods: '1 Too many pods',
} as const;

/** Source: pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest. */
export function insufficient(resource: string): string {
  return `1 Insufficient ${resource}`;
}

/**
 * The whole message. Its second half is the result of preemption, which never helps: podrun ends no Pod in favour of
 * another. Source: pkg/scheduler/framework/types.go FitError, pkg/scheduler/framework/preemption/preemption.go.
 * @param preemptible true when the Pod would fit without other Pods
 */
export function unschedulable(reasons: readonly string[], preemptible: boolean): string {
  const preemption = preemptible
    ? 'No preemption victims found for incoming pod'
    : 'Preemption is not helpful for scheduling';
  const why = [...reasons].sort().join(', ');
  return (
    `0/1 nodes are available: ${why}. no new claims to deallocate, ` +
    `preemption: 0/1 nodes are available: 1 ${preemption}.`
  );
}

/**
 * The whole message for a missing claim. The scheduler then runs no filters on nodes, and preemption finds nothing.
 * Source: pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go PreFilter; observed on 1.36.
 */
export function claimNotFound(claim: string): string {
  return `0/1 nodes are available: persistentvolumeclaim "${claim}" not found. not found`;
}
