// The messages of the condition PodScheduled and of the event FailedScheduling.

/** The reasons of the scheduler's filters. Each begins with the number of rejected nodes, which is one here. */
export const MISFIT = {
  /** Source: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go errReasonConflict. */
  conflictingTerms: 'pod affinity terms conflict',
  /** Source: pkg/scheduler/framework/types.go FitError, for nodes that PreFilter left out. */
  otherNode: "1 node(s) didn't satisfy plugin(s) [NodeAffinity]",
  /** Source: pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go. */
  cordoned: '1 node(s) were unschedulable',
  /** Source: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go ErrReasonPod. */
  affinity: "1 node(s) didn't match Pod's node affinity/selector",
  /** Source: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go Filter. */
  taints: '1 node(s) had untolerated taint(s)',
  /** Source: pkg/scheduler/framework/plugins/nodeports/node_ports.go ErrReason. */
  hostPorts: "1 node(s) didn't have free ports for the requested pod ports",
  /** Source: pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest. */
  tooManyPods: '1 Too many pods',
  /** Source: pkg/scheduler/framework/plugins/volumebinding/binder.go ErrReasonNodeConflict. */
  volume: "1 node(s) didn't match PersistentVolume's node affinity",
} as const;

/** Source: pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest. */
export function insufficient(resource: string): string {
  return `1 Insufficient ${resource}`;
}

/** Source: pkg/scheduler/framework/types.go FitError. */
export function noNode(reasons: readonly string[]): string {
  return `0/1 nodes are available: ${[...reasons].sort().join(', ')}.`;
}

/** The reasons why no other Pod goes. Source: pkg/scheduler/framework/preemption/preemption.go. */
export const PREEMPTION: Readonly<Record<'never' | 'noVictims' | 'notHelpful' | 'underWay', string>> = {
  noVictims: noNode(['1 No preemption victims found for incoming pod']),
  notHelpful: noNode(['1 Preemption is not helpful for scheduling']),
  never: 'not eligible due to preemptionPolicy=Never.',
  underWay: 'not eligible due to a terminating pod on the nominated node.',
};

/**
 * The whole message of a Pod for which no other Pod goes. Source: pkg/scheduler/framework/types.go FitError.
 * @param preemption one of PREEMPTION
 */
export function unschedulable(reasons: readonly string[], preemption: string): string {
  return `${noNode(reasons)} no new claims to deallocate, preemption: ${preemption}`;
}

/** DisruptionTarget of a Pod that goes. Source: pkg/scheduler/framework/preemption/executor.go. */
export const PREEMPTED = {
  reason: 'PreemptionByScheduler',
  message: 'default-scheduler: preempting to accommodate a higher priority pod',
} as const;

/**
 * The problems of a Pod's claims. Source: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go,
 * volumerestrictions/volume_restrictions.go.
 */
export const CLAIM = {
  notFound: (claim: string): string => `persistentvolumeclaim "${claim}" not found`,
  deleted: (claim: string): string => `persistentvolumeclaim "${claim}" is being deleted`,
  lost: (claim: string, volume: string): string =>
    `persistentvolumeclaim "${claim}" bound to non-existent persistentvolume "${volume}"`,
  unbound: 'pod has unbound immediate PersistentVolumeClaims',
} as const;

/**
 * The whole message for a problem that no node can solve. The scheduler then runs no filters on nodes, and preemption
 * finds nothing. Source: pkg/scheduler/framework/types.go FitError; observed on 1.36.
 */
export function noNodeFor(problem: string): string {
  return `0/1 nodes are available: ${problem}. not found`;
}
