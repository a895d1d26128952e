import { type Container, type ContainerRestartRule, isSidecar, type PodSpec } from '../../api/index.ts';

/**
 * True when a container restarts after this exit. The container's rules come first, then its own policy, then the
 * Pod's. Source: pkg/api/v1/pod/util.go ContainerShouldRestart.
 */
export function shouldRestart(podPolicy: string | undefined, container: Container, exitCode: number): boolean {
  if (container.restartPolicy !== undefined) {
    return matchingRule(container, exitCode) !== undefined || policyRestarts(container.restartPolicy, exitCode);
  }
  return policyRestarts(podPolicy ?? 'Always', exitCode);
}

/**
 * True when a container restarts after a kill, for example by a probe. There is no exit code yet, so rules do not
 * apply. Source: kuberuntime_manager.go computePodActions.
 */
export function restartsAfterKill(podPolicy: string | undefined, container: Container): boolean {
  return (container.restartPolicy ?? podPolicy ?? 'Always') !== 'Never';
}

/** The first rule of the container that names this exit code. */
function matchingRule(container: Container, exitCode: number): ContainerRestartRule | undefined {
  return container.restartPolicyRules?.find(({ exitCodes }) => {
    if (exitCodes === undefined) return false;
    const listed = (exitCodes.values ?? []).includes(exitCode);
    return exitCodes.operator === 'In' ? listed : !listed;
  });
}

/** True when this exit restarts every container of the Pod. (Feature RestartAllContainersOnContainerExits, 1.36.) */
export function restartsAll(container: Container, exitCode: number): boolean {
  return matchingRule(container, exitCode)?.action === 'RestartAllContainers';
}

/** True when a container of the Pod has a rule that restarts all containers. */
export function hasRestartAllRule(spec: Pick<PodSpec, 'containers' | 'initContainers'>): boolean {
  return [...(spec.initContainers ?? []), ...spec.containers].some((container) =>
    container.restartPolicyRules?.some((rule) => rule.action === 'RestartAllContainers'),
  );
}

/** True when this init container runs again after a failure. A sidecar always does. */
export function initContainerRestarts(podPolicy: string | undefined, container: Container, exitCode: number): boolean {
  return isSidecar(container) || shouldRestart(podPolicy, container, exitCode);
}

function policyRestarts(policy: string, exitCode: number): boolean {
  return policy === 'OnFailure' ? exitCode !== 0 : policy !== 'Never';
}
