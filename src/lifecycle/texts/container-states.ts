import { formatGoDuration, goQuote, podFullName, type StoredMeta } from '../../api/index.ts';

/**
 * The reasons of a waiting container. Source: pkg/kubelet/kubelet_pods.go (the first two), pkg/kubelet/images/types.go
 * (images), pkg/kubelet/kuberuntime/kuberuntime_container.go and pkg/kubelet/container/sync_result.go (the rest).
 */
export const WAITING = {
  /** A container without an instance, in a Pod without init containers. */
  containerCreating: 'ContainerCreating',
  /** A container without an instance, in a Pod with init containers. */
  podInitializing: 'PodInitializing',
  invalidImageName: 'InvalidImageName',
  errImageNeverPull: 'ErrImageNeverPull',
  errImagePull: 'ErrImagePull',
  imagePullBackOff: 'ImagePullBackOff',
  createContainerConfigError: 'CreateContainerConfigError',
  createContainerError: 'CreateContainerError',
  runContainerError: 'RunContainerError',
  postStartHookError: 'PostStartHookError',
  crashLoopBackOff: 'CrashLoopBackOff',
  restartingAllContainers: 'RestartingAllContainers',
} as const;

/** The message of ErrImageNeverPull. Source: pkg/kubelet/images/image_manager.go EnsureImageExists. */
export function neverPulled(image: string): string {
  return `Container image "${image}" is not present with pull policy of Never`;
}

/** Source: pkg/kubelet/images/image_manager.go pullImage. */
export function backingOffPull(image: string): string {
  return `Back-off pulling image "${image}"`;
}

/** The message of ImagePullBackOff, with the last error. Source: pkg/kubelet/images/image_manager.go pullImage. */
export function imagePullBackOff(image: string, pullError: string): string {
  return `${backingOffPull(image)}: ${WAITING.errImagePull}: ${pullError}`;
}

/** The message of InvalidImageName. Source: pkg/kubelet/images/image_manager.go applyDefaultImageTag. */
export function unparsableImage(image: string, why: string): string {
  const quoted = goQuote(image);
  return `Failed to apply default image tag ${quoted}: couldn't parse image name ${quoted}: ${why}`;
}

/** The message of CrashLoopBackOff. Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go doBackOff. */
export function crashLoopMessage(delayMs: number, container: string, pod: StoredMeta): string {
  return `back-off ${formatGoDuration(delayMs)} restarting failed container=${container} pod=${podFullName(pod)}`;
}

/** The error of a postStart hook whose container ended first. podrun's own: a cluster reports a lost connection. */
export const HOOK_CUT_SHORT = 'container terminated before its postStart hook finished';

/** The message of RestartingAllContainers, waiting or terminated. Source: pkg/kubelet/kubelet_pods.go. */
export const REMOVED_BY_RESTART_ALL = 'The container is removed because RestartAllContainers in place';

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
