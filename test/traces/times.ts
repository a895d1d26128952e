import type { ContainerStatus, PodStatus } from '../../src/api/generated/types.ts';
import { allContainerStatuses, type StoredPod, type WatchEvent } from '../../src/api/objects.ts';

/**
 * Is every time that a stream tells told once and for all? The comparison of two histories leaves times out; what must
 * be true of them is true of each history by itself: a condition gets a new time with a new status and not otherwise,
 * and what started or ended did so at one moment.
 * @returns what changed that must not, empty when nothing did
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

/** Conditions that have the status that they had, each with both of its times. */
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
