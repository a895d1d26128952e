import type { Container } from '../../api/generated/types.ts';
import type { Axis } from './axis.ts';
import type { ContainerTimeline, Timeline } from './model.ts';

/** What of a timeline the path is computed from. */
export type Happened = Pick<Timeline, 'conditions' | 'containers' | 'events'>;

/** A container on the path, and what happened around it. */
export interface OnPath {
  readonly axis: Axis;
  readonly happened: Happened;
  readonly one: ContainerTimeline;
}

/** The container as the manifest has it. */
export function specOf({ pod }: Axis, name: string): Container | undefined {
  const { initContainers = [], containers } = pod.spec;
  return [...initContainers, ...containers].find((container) => container.name === name);
}
