import type { ContainerStatus, PodSpec, PodStatus } from '../../api/generated/types.ts';
import { isSameJson } from '../../api/json.ts';
import { allContainers, allContainerStatuses } from '../../api/objects.ts';

/**
 * A status tells of all containers of a Pod, and each change of one is told. Where there are many containers, changes
 * of different ones are told together, or telling of them would take longer than what they do. A kubelet does so at any
 * size: it looks at what has become of containers once a second. Source: pkg/kubelet/pleg/generic.go.
 */
const CONTAINERS_MIN = 20;

/** About twenty times as long as it takes to tell. */
const MS_PER_CONTAINER = 1;

/** How long a change may wait after the one before it for others to come along, in milliseconds; 0: not at all. */
export function batchMs(spec: PodSpec): number {
  const count = allContainers(spec).length;
  return count < CONTAINERS_MIN ? 0 : count * MS_PER_CONTAINER;
}

/** Is nothing new but what containers do? Phases and conditions are told at once. */
export function isAboutContainersOnly(told: PodStatus, next: PodStatus): boolean {
  return isSameJson(withoutContainers(told), withoutContainers(next)) && sameNames(told, next);
}

/**
 * Does a container go on from a state that is still to be told? Then that has to be told first, other than that it ran
 * where it has ended meanwhile: when it was started is told with its end.
 */
export function overtakes(told: PodStatus, waiting: PodStatus, next: PodStatus): boolean {
  const before = allContainerStatuses(told);
  const later = allContainerStatuses(next);
  return allContainerStatuses(waiting).some((status, index) => {
    return !isSame(status, later[index]) && !isSame(status, before[index]) && !hasRun(status, later[index]);
  });
}

function hasRun(one: ContainerStatus, later: ContainerStatus | undefined): boolean {
  return one.state?.running !== undefined && later?.state?.terminated?.containerID === one.containerID;
}

/** The message of a condition says which containers are not ready. */
function withoutContainers(status: PodStatus): PodStatus {
  const { containerStatuses: _, initContainerStatuses: _init, ephemeralContainerStatuses: _others, ...rest } = status;
  return { ...rest, conditions: (rest.conditions ?? []).map(({ message: _message, ...condition }) => condition) };
}

function sameNames(one: PodStatus, other: PodStatus): boolean {
  const others = allContainerStatuses(other);
  const all = allContainerStatuses(one);
  return all.length === others.length && all.every(({ name }, index) => name === others[index]?.name);
}

/** Statuses that nothing has happened to are the same objects. */
function isSame(one: ContainerStatus, other: ContainerStatus | undefined): boolean {
  return one === other || isSameJson(one, other);
}
