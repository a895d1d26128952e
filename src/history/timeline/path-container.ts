import type { Container } from '../../api/generated/types.ts';
import type { Axis } from './axis.ts';
import type { ContainerTimeline, Timeline } from './model.ts';

/** The parts of a timeline that the path depends on. */
export type PathInput = Pick<Timeline, 'conditions' | 'containers' | 'events'>;

/** A container on the path with its axis and the happenings around it. */
export interface PathContainer {
  readonly axis: Axis;
  readonly input: PathInput;
  readonly container: ContainerTimeline;
}

/** The container in the manifest. */
export function specOf({ pod }: Axis, name: string): Container | undefined {
  const { initContainers = [], containers } = pod.spec;
  return [...initContainers, ...containers].find((container) => container.name === name);
}
