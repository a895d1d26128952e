import type { Container, ResourceRequirements } from '../../api/generated/types.ts';
import type { ContainerFacts } from '../facts.ts';

/**
 * Has the running instance been given other resources than it was started with, of a kind that its resizePolicy only
 * changes by a restart? Source: kuberuntime_manager.go computePodResizeAction.
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

/** Does the running instance have other amounts of what can be resized than the spec says? */
export function isResized({ resources }: Container, { current }: ContainerFacts): boolean {
  if (current === undefined || current.stop !== undefined) return false;
  return ['cpu', 'memory'].some((name) => amounts(resources, name) !== amounts(current.resources, name));
}

/** Quantities of a valid Pod have one text each. */
function amounts({ requests, limits }: ResourceRequirements = {}, name: string): string {
  return `${requests?.[name]} ${limits?.[name]}`;
}
