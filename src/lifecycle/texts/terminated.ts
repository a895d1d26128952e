/**
 * The reasons of a container that has ended. Source: containerd, internal/cri/server/helpers.go and
 * container_start.go, restart.go (the first five, which the runtime says); pkg/kubelet/kubelet_pods.go,
 * pkg/kubelet/container/runtime.go (the others).
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

/** Of ContainerStatusUnknown, in a Pod that is gone. Source: pkg/kubelet/status/status_manager.go TerminatePod. */
export const NOT_LOCATED = 'The container could not be located when the pod was terminated';

/** Of ContainerStatusUnknown, in `lastState`. Source: pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses. */
export const USED_TO_RUN =
  'The container could not be located when the pod was deleted.  The container used to be Running';

/** podrun's own: of OOMKilled, when it was podrun that looked how much memory there was. */
export const MEMORY_POLLED = 'memory limit exceeded (polled)';
