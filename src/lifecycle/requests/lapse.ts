import { type Container, type ContainerStatus, isSidecar, type StoredPod } from '../../api/index.ts';
import { type PodGoal, goalState, includesReady } from './goal.ts';
import type { Lapse } from './run-outcome.ts';
import { findContainer } from '../environment/downward-api.ts';

/**
 * The lapse of a Pod that had reached the goal. Undefined: there is none.
 *
 * After a goal that includes Ready, a lapse is a container that ended by itself: crashed, done, or killed by its probe.
 * An end by a deletion of the Pod or a change of its spec is no lapse. After any other goal containers may end: only a
 * Pod with the phase Failed or Unknown has lapsed.
 * @param before the Pod when it reached the goal
 * @param allowRestarts a container may end, if it starts again
 */
export function lapseOf(goal: PodGoal, before: StoredPod, now: StoredPod, allowRestarts: boolean): Lapse | undefined {
  if (now === before || now.metadata.deletionTimestamp !== undefined) return undefined;
  if (includesReady(goal)) {
    const container = endedContainers(before, now).find(
      (name) => !allowRestarts && !isChanged(findContainer(before, name), findContainer(now, name)),
    );
    if (container !== undefined) return { pod: now, container };
  }
  const { phase } = now.status;
  const isBroken = phase === 'Unknown' || (phase === 'Failed' && goal.type !== 'failed');
  return isBroken && phase !== before.status.phase
    ? { pod: now, container: endedContainers(before, now)[0] }
    : undefined;
}

/** The lapse at the end of a run with allowed restarts: a container that has ended and is not Ready again. */
export function lapseAtEnd(goal: PodGoal, before: StoredPod, now: StoredPod): Lapse | undefined {
  if (!includesReady(goal) || now.metadata.deletionTimestamp !== undefined) return undefined;
  const [container] = endedContainers(before, now);
  return container === undefined || goalState(goal, now) === 'met' ? undefined : { pod: now, container };
}

/** Names of the containers that ran before and have ended since, even if they have started again. */
function endedContainers(before: StoredPod, now: StoredPod): string[] {
  const later = new Map(servingStatuses(now).map((status) => [status.name, status]));
  return servingStatuses(before)
    .filter(({ name, state, restartCount }) => {
      const status = later.get(name);
      if (state?.running === undefined || status === undefined) return false;
      return status.restartCount > restartCount || status.state?.running === undefined;
    })
    .map(({ name }) => name);
}

/** The statuses of regular containers and sidecars, which Ready needs. */
function servingStatuses({ spec, status }: StoredPod): ContainerStatus[] {
  const sidecars = new Set((spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  return [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
}

/** True when a user has changed the image or the resources of a running container. */
function isChanged(before: Container | undefined, now: Container | undefined): boolean {
  return before?.image !== now?.image || JSON.stringify(before?.resources) !== JSON.stringify(now?.resources);
}
