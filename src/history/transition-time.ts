import type { ContainerState, ContainerStatus, PodStatus } from '../api/generated/types.ts';
import { allContainerStatuses, type StoredEvent, type StoredPod } from '../api/objects.ts';
import { parseTime } from '../api/time.ts';

/** As objects have it; null in what a server answers. */
type Moment = string | null | undefined;

/**
 * The latest moment that an object tells of, milliseconds since 1970: when it was written, or somewhat later, for lines
 * that do not say it. Moments to come, as that by which a Pod is to be gone, do not count.
 */
export function latestMomentIn(object: StoredPod | StoredEvent): number {
  const moments = object.kind === 'Pod' ? podMoments(object.status) : eventMoments(object);
  const times = [object.metadata.creationTimestamp, ...moments].map((text) => parseTime(text ?? ''));
  return Math.max(0, ...times.filter((time) => !Number.isNaN(time)));
}

function podMoments(status: PodStatus): Moment[] {
  const conditions = (status.conditions ?? []).map(({ lastTransitionTime }) => lastTransitionTime);
  return [status.startTime, ...conditions, ...allContainerStatuses(status).flatMap(containerMoments)];
}

function containerMoments({ state, lastState }: ContainerStatus): Moment[] {
  return [state, lastState].flatMap((one: ContainerState | undefined) => [
    one?.running?.startedAt,
    one?.terminated?.startedAt,
    one?.terminated?.finishedAt,
  ]);
}

function eventMoments(event: StoredEvent): Moment[] {
  return [event.firstTimestamp, event.lastTimestamp, event.eventTime, event.series?.lastObservedTime];
}
