import type { ContainerStatus, PodSpec, PodStatus } from '../../api/generated/types.ts';
import { isSameJson } from '../../api/json.ts';
import { allContainers, allContainerStatuses } from '../../api/objects.ts';

/**
 * The size from which a Pod publishes changes of different containers together. A status lists all containers of the
 * Pod, so one write per change would take longer than the containers' work. The kubelet batches at any size: it looks
 * at the containers once a second. Source: pkg/kubelet/pleg/generic.go.
 */
const CONTAINERS_MIN = 20;

/** About twenty times the duration of one write of the status. */
const MS_PER_CONTAINER = 1;

/** The longest time that a change waits for further changes, in milliseconds. 0: it does not wait. */
export function batchMs(spec: PodSpec): number {
  const count = allContainers(spec).length;
  return count < CONTAINERS_MIN ? 0 : count * MS_PER_CONTAINER;
}

/** True when only container statuses have changed. Phases and conditions are published at once. */
export function changesContainersOnly(published: PodStatus, next: PodStatus): boolean {
  return isSameJson(withoutContainers(published), withoutContainers(next)) && sameNames(published, next);
}

/**
 * True when a container has left a state that is not published yet: the waiting status must be published first. A run
 * that has ended meanwhile may be skipped, since the end contains the start time.
 */
export function leavesUnpublishedState(published: PodStatus, waiting: PodStatus, next: PodStatus): boolean {
  const before = allContainerStatuses(published);
  const later = allContainerStatuses(next);
  return allContainerStatuses(waiting).some((status, index) => {
    return !isSame(status, later[index]) && !isSame(status, before[index]) && !hasRun(status, later[index]);
  });
}

function hasRun(one: ContainerStatus, later: ContainerStatus | undefined): boolean {
  return one.state?.running !== undefined && later?.state?.terminated?.containerID === one.containerID;
}

/** Removes the container statuses, and the condition messages, which name the containers that are not ready. */
function withoutContainers(status: PodStatus): PodStatus {
  const { containerStatuses: _, initContainerStatuses: _init, ephemeralContainerStatuses: _others, ...rest } = status;
  return { ...rest, conditions: (rest.conditions ?? []).map(({ message: _message, ...condition }) => condition) };
}

function sameNames(one: PodStatus, other: PodStatus): boolean {
  const others = allContainerStatuses(other);
  const all = allContainerStatuses(one);
  return all.length === others.length && all.every(({ name }, index) => name === others[index]?.name);
}

/** Unchanged statuses are mostly the same objects. */
function isSame(one: ContainerStatus, other: ContainerStatus | undefined): boolean {
  return one === other || isSameJson(one, other);
}
