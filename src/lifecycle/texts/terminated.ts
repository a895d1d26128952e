/**
 * The reasons of a terminated container. Source: containerd, internal/cri/server/helpers.go and container_start.go,
 * restart.go (the first five, from the runtime); pkg/kubelet/kubelet_pods.go, pkg/kubelet/container/runtime.go (the
 * rest).
 */
export const TERMINATED = {
  completed: 'Completed',
  error: 'Error',
  oomKilled: 'OOMKilled',
  startError: 'StartError',
  unknown: 'Unknown',
  statusUnknown: 'ContainerStatusUnknown',
  restartingAllContainers: 'RestartingAllContainers',
} as const;

/**
 * The message of ContainerStatusUnknown in a Pod that is gone. Source: pkg/kubelet/status/status_manager.go
 * TerminatePod.
 */
export const NOT_LOCATED = 'The container could not be located when the pod was terminated';

/**
 * The message of ContainerStatusUnknown in `lastState`. Source: pkg/kubelet/kubelet_pods.go
 * convertToAPIContainerStatuses.
 */
export const USED_TO_RUN =
  'The container could not be located when the pod was deleted.  The container used to be Running';

/** The message of OOMKilled when podrun itself measured the memory. podrun's own. */
export const MEMORY_POLLED = 'memory limit exceeded (polled)';
