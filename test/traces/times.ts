import type { ContainerStatus, PodStatus } from '../../src/api/generated/types.ts';
import { allContainerStatuses, type StoredPod, type WatchEvent } from '../../src/api/base/objects.ts';

/**
 * Finds times in a stream that change when they must not. The comparison of two histories leaves times out, so each
 * history is checked by itself: a condition gets a new time only with a new status, and a start or an end has one time.
 * @returns the changed times; empty when there are none
 */
export function changedTimes(lines: ReadonlyArray<WatchEvent<unknown>>): string[] {
  const all = lines.map(({ object }) => object as StoredPod).filter(({ kind }) => kind === 'Pod');
  return [...new Set(all.map(({ metadata }) => metadata.uid))].flatMap((uid) =>
    changedTimesOf(all.filter(({ metadata }) => metadata.uid === uid)),
  );
}

function changedTimesOf(pods: readonly StoredPod[]): string[] {
  const told = new Map<string, string>();
  return pods.flatMap(({ status }, index) => {
    const before = pods[index - 1]?.status;
    const moments = momentsOf(status).map(({ what, now }) => {
      const earlier = told.get(what) ?? now;
      told.set(what, now);
      return { what, now, earlier };
    });
    const both = [...transitions(status, before), ...moments];
    return both
      .filter(({ now, earlier }) => now !== earlier)
      .map(({ what, now, earlier }) => `${what}: ${earlier}, then ${now}`);
  });
}

interface Moment {
  readonly what: string;
  readonly now: string;
}

/** Conditions whose status has not changed, each with both of its times. */
function transitions(status: PodStatus, before: PodStatus | undefined): Array<Moment & { readonly earlier: string }> {
  return (status.conditions ?? []).flatMap(({ type, status: value, lastTransitionTime: now }) => {
    const old = before?.conditions?.find((condition) => condition.type === type);
    return old?.status === value
      ? [{ what: `${type} is ${value} since`, now: `${now}`, earlier: `${old.lastTransitionTime}` }]
      : [];
  });
}

function momentsOf(status: PodStatus): Moment[] {
  const start = status.startTime ? [{ what: 'start of the Pod', now: status.startTime }] : [];
  return [...start, ...allContainerStatuses(status).flatMap(momentsOfContainer)];
}

function momentsOfContainer({ containerID, state, lastState }: ContainerStatus): Moment[] {
  const instances = [
    { id: containerID, startedAt: state?.running?.startedAt, finishedAt: undefined },
    { id: state?.terminated?.containerID, ...state?.terminated },
    { id: lastState?.terminated?.containerID, ...lastState?.terminated },
  ];
  return instances.flatMap(({ id, startedAt, finishedAt }) => [
    ...(id && startedAt ? [{ what: `start of ${id}`, now: startedAt }] : []),
    ...(id && finishedAt ? [{ what: `end of ${id}`, now: finishedAt }] : []),
  ]);
}
