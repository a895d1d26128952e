// Why a container is killed: the messages of the event Killing.

/** The whole Pod goes down. Source: pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer. */
export function stopping(container: string): string {
  return `Stopping container ${container}`;
}

/** Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions. */
export function probeFailed(container: string, probe: 'liveness' | 'startup', restarts: boolean): string {
  return `Container ${container} failed ${probe} probe${restarts ? ', will be restarted' : ''}`;
}

/** Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodActions. */
export function definitionChanged(container: string): string {
  return `Container ${container} definition changed, will be restarted`;
}

/** Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go computePodResizeAction. */
export function resizeNeedsRestart(container: string): string {
  return `Container ${container} resize requires restart`;
}

/** Of a sidecar. Source: pkg/kubelet/kuberuntime/kuberuntime_container.go computeInitContainerActions. */
export function initProbeFailed(container: string, probe: 'liveness' | 'startup'): string {
  return `Init container ${container} failed ${probe} probe`;
}

/** Of a sidecar. Source: pkg/kubelet/kuberuntime/kuberuntime_container.go computeInitContainerActions. */
export function initDefinitionChanged(container: string): string {
  return `Init container ${container} definition changed`;
}

/** Its postStart hook failed. Source: pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer. */
export const HOOK_FAILED = 'FailedPostStartHook';

/** By a RestartAllContainers rule. Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod. */
export const RESTARTING_ALL = 'killing';
