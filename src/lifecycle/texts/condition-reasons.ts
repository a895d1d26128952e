/** The reasons of a Pod's conditions. Source: pkg/kubelet/status/generate.go; PodScheduled: the scheduler. */
export const CONDITION = {
  unknownContainerStatuses: 'UnknownContainerStatuses',
  podCompleted: 'PodCompleted',
  podFailed: 'PodFailed',
  containersNotReady: 'ContainersNotReady',
  containersNotInitialized: 'ContainersNotInitialized',
  readinessGatesNotReady: 'ReadinessGatesNotReady',
  restartAllContainersStarted: 'RestartAllContainersStarted',
  /** A reason of PodScheduled. Source: staging/src/k8s.io/api/core/v1/types.go PodReasonUnschedulable. */
  unschedulable: 'Unschedulable',
} as const;

/** The message of ContainersNotReady and ContainersNotInitialized. Source: pkg/kubelet/status/generate.go. */
export function containersWith(
  unknown: readonly string[],
  failing: readonly string[],
  word: 'unready' | 'incomplete',
): string {
  return [
    ...(unknown.length > 0 ? [`containers with unknown status: [${unknown.join(' ')}]`] : []),
    ...(failing.length > 0 ? [`containers with ${word} status: [${failing.join(' ')}]`] : []),
  ].join(', ');
}

/**
 * The message of ReadinessGatesNotReady. Source: pkg/kubelet/status/generate.go GeneratePodReadyCondition.
 * @param status of the gate's condition; undefined: the Pod has no such condition
 */
export function closedGate(type: string, status: string | undefined): string {
  return status === undefined
    ? `corresponding condition of pod readiness gate "${type}" does not exist.`
    : `the status of pod readiness gate "${type}" is not "True", but ${status}`;
}

/** The message of RestartAllContainersStarted. Source: pkg/kubelet/status/generate.go. */
export const RESTART_RULE_MATCHED = 'container exited with restart policy rule';

/**
 * The reason and message of DisruptionTarget for a lost node. Source: pkg/controller/podgc/gc_controller.go gcOrphaned.
 */
export const DELETION_BY_POD_GC = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' } as const;

/** The type of the condition of a Pod that is ended in favor of other Pods. Source: k8s.io/api/core/v1/types.go. */
export const DISRUPTION_TARGET = 'DisruptionTarget';

/** Source: pkg/registry/core/pod/storage/eviction.go, addConditionAndDeletePod. */
export const EVICTED_BY_API = { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' } as const;

/** Source: pkg/controller/tainteviction/taint_eviction.go addConditionAndDeletePod. */
export const DELETED_FOR_TAINT = {
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
} as const;

/** The reason of DisruptionTarget for a Pod that its node evicts. Source: pkg/kubelet/eviction/eviction_manager.go. */
export const TERMINATION_BY_KUBELET = 'TerminationByKubelet';
