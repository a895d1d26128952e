import type { Container, PodSpec, ResourceRequirements } from '../../api/index.ts';
import type { ContainerFacts } from '../base/facts.ts';

/**
 * True when the spec changes resources of the running instance whose resizePolicy is RestartContainer. A container
 * without a limit has the limit of its Pod. Source: kuberuntime_manager.go computePodResizeAction.
 */
export function resizeRequiresRestart(
  { resizePolicy = [], resources }: Container,
  { current }: ContainerFacts,
  { resources: podResources }: PodSpec,
): boolean {
  if (current === undefined) return false;
  return resizePolicy.some(({ resourceName: name, restartPolicy }) => {
    return (
      restartPolicy === 'RestartContainer' &&
      amounts(resources, name, podResources) !== amounts(current.resources, name, current.podResources)
    );
  });
}

/** True when the running instance, or its Pod, has another amount of CPU or memory than the spec. */
export function isResized(
  { resources }: Container,
  { current }: ContainerFacts,
  { resources: ofPod }: PodSpec,
): boolean {
  if (current === undefined || current.stop !== undefined) return false;
  return ['cpu', 'memory'].some(
    (name) =>
      amounts(resources, name) !== amounts(current.resources, name) ||
      amounts(ofPod, name) !== amounts(current.podResources, name),
  );
}

/** Equal quantities of a valid Pod have equal texts. */
function amounts({ requests, limits }: ResourceRequirements = {}, name: string, ofPod?: ResourceRequirements): string {
  return `${requests?.[name]} ${limits?.[name] ?? ofPod?.limits?.[name]}`;
}
