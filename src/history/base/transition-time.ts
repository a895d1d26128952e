import {
  allContainerStatuses,
  type ContainerState,
  type ContainerStatus,
  parseTime,
  type PodStatus,
  type StoredEvent,
  type StoredPod,
} from '../../api/index.ts';

/** A timestamp in an object. Servers may answer null. */
type Timestamp = string | null | undefined;

/**
 * The latest timestamp in an object, milliseconds since 1970. Dates an object whose watch event has no time of its own.
 * Future times, such as a deletionTimestamp, do not count.
 */
export function latestMomentIn(object: StoredPod | StoredEvent): number {
  const moments = object.kind === 'Pod' ? podMoments(object.status) : eventMoments(object);
  const times = [object.metadata.creationTimestamp, ...moments].map((text) => parseTime(text ?? ''));
  return Math.max(0, ...times.filter((time) => !Number.isNaN(time)));
}

function podMoments(status: PodStatus): Timestamp[] {
  const conditions = (status.conditions ?? []).map(({ lastTransitionTime }) => lastTransitionTime);
  return [status.startTime, ...conditions, ...allContainerStatuses(status).flatMap(containerMoments)];
}

function containerMoments({ state, lastState }: ContainerStatus): Timestamp[] {
  return [state, lastState].flatMap((one: ContainerState | undefined) => [
    one?.running?.startedAt,
    one?.terminated?.startedAt,
    one?.terminated?.finishedAt,
  ]);
}

function eventMoments(event: StoredEvent): Timestamp[] {
  return [event.firstTimestamp, event.lastTimestamp, event.eventTime, event.series?.lastObservedTime];
}
