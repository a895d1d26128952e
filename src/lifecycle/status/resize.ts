import type { Container, ResourceRequirements } from '../../api/index.ts';
import type { ContainerFacts } from '../base/facts.ts';

/**
 * True when the spec changes resources of the running instance whose resizePolicy is RestartContainer. Source:
 * kuberuntime_manager.go computePodResizeAction.
 */
export function resizeRequiresRestart(
  { resizePolicy = [], resources }: Container,
  { current }: ContainerFacts,
): boolean {
  if (current === undefined) return false;
  return resizePolicy.some(({ resourceName, restartPolicy }) => {
    return (
      restartPolicy === 'RestartContainer' &&
      amounts(resources, resourceName) !== amounts(current.resources, resourceName)
    );
  });
}

/** True when the running instance has another amount of CPU or memory than the spec. */
export function isResized({ resources }: Container, { current }: ContainerFacts): boolean {
  if (current === undefined || current.stop !== undefined) return false;
  return ['cpu', 'memory'].some((name) => amounts(resources, name) !== amounts(current.resources, name));
}

/** Equal quantities of a valid Pod have equal texts. */
function amounts({ requests, limits }: ResourceRequirements = {}, name: string): string {
  return `${requests?.[name]} ${limits?.[name]}`;
}
