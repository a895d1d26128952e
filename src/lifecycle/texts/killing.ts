// The messages of the event Killing.

/** The whole Pod terminates. Source: pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer. */
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

/** For sidecars. Source: pkg/kubelet/kuberuntime/kuberuntime_container.go computeInitContainerActions. */
export function initProbeFailed(container: string, probe: 'liveness' | 'startup'): string {
  return `Init container ${container} failed ${probe} probe`;
}

/** For sidecars. Source: pkg/kubelet/kuberuntime/kuberuntime_container.go computeInitContainerActions. */
export function initDefinitionChanged(container: string): string {
  return `Init container ${container} definition changed`;
}

/** The postStart hook failed. Source: pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer. */
export const HOOK_FAILED = 'FailedPostStartHook';

/** For RestartAllContainers rules. Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod. */
export const RESTARTING_ALL = 'killing';
