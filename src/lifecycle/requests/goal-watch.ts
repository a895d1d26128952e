import {
  type Container,
  type ContainerStatus,
  type Instant,
  isSidecar,
  parseTime,
  resolvedUid,
  type StoredPod,
} from '../../api/index.ts';
import { findContainer } from '../environment/downward-api.ts';
import { type GoalState, goalState, includesReady, type PodGoal } from './goal.ts';
import type { Lapse } from './verdict.ts';

/** The default of `--settle`, in milliseconds. */
export const SETTLE_MS = 1000;

/** The rules by which a goal counts as reached. */
export interface GoalRules {
  /** The time that a container without readiness and startup probe must have run, in milliseconds. 0: no time. */
  readonly settleMs: number;
  /** True: containers may end, if they become Ready again. */
  readonly allowRestarts: boolean;
}

/** The memory of a watch on the way to a goal. Begins as `NOT_REACHED`. */
export interface GoalWatch {
  /** The Pods by uid, at the moment when the goal was reached. Undefined: not reached. */
  readonly reached: ReadonlyMap<string, StoredPod> | undefined;
  /** The stopwatch time at which a container has run long enough, by its Pod's uid, its name and its start. */
  readonly settledAtMs: ReadonlyMap<string, number>;
}

export const NOT_REACHED: GoalWatch = { reached: undefined, settledAtMs: new Map() };

export type GoalProgress<Subject> =
  | { readonly type: 'pending' }
  /** Every subject has reached the goal, and must keep it until this time of the stopwatch. */
  | { readonly type: 'settling'; readonly untilMs: number }
  | { readonly type: 'met' }
  /** This subject can no longer reach the goal. */
  | { readonly type: 'impossible'; readonly subject: Subject }
  | { readonly type: 'lapsed'; readonly lapse: Lapse };

/** A goal of subjects: Pods, or roots of a run. */
interface WatchedGoal<Subject> {
  /** Undefined: podrun has no name for the goal, and only `stateOf` decides. */
  readonly goal: PodGoal | undefined;
  readonly rules: GoalRules;
  readonly subjects: readonly Subject[];
  /** The Pods that must keep running. */
  readonly pods: readonly StoredPod[];
  /** The Pods that count as Ready once they have run for the settle time: also Pods of Jobs, which may end. */
  readonly settling: readonly StoredPod[];
  readonly now: Instant;
  /** The state of the goal for one subject, which a caller may cache. */
  readonly stateOf: (subject: Subject) => GoalState;
}

/**
 * Watches Pods or roots on their way to a goal. Call it after every change and at the time of `settling`.
 *
 * A goal that includes Ready must last: each container has passed a probe or has run for the settle time. A container
 * that ends meanwhile is a lapse, unless restarts are allowed.
 */
export function watchGoal<Subject>(
  watch: GoalWatch,
  goalToWatch: WatchedGoal<Subject>,
): { readonly watch: GoalWatch; readonly progress: GoalProgress<Subject> } {
  const { goal, rules, subjects, pods, settling, now, stateOf } = goalToWatch;
  const lapse = goal && watch.reached && lapseSince(watch.reached, goal, pods, rules.allowRestarts);
  const states = subjects.map(stateOf);
  const unable = subjects[states.indexOf('impossible')];
  if (unable !== undefined) return { watch, progress: { type: 'impossible', subject: unable } };
  if (lapse !== undefined) return { watch, progress: { type: 'lapsed', lapse } };
  if (!states.every((state) => state === 'met')) return { watch: NOT_REACHED, progress: { type: 'pending' } };
  const reached = watch.reached ?? new Map(pods.map((pod) => [resolvedUid(pod), pod]));
  if (goal === undefined || !includesReady(goal) || rules.settleMs === 0) {
    return { watch: { reached, settledAtMs: watch.settledAtMs }, progress: { type: 'met' } };
  }
  const settledAtMs = settleTimes(watch.settledAtMs, settling, rules.settleMs, now);
  const untilMs = Math.max(0, ...settledAtMs.values());
  const progress: GoalProgress<Subject> = untilMs <= now.monotonicMs ? { type: 'met' } : { type: 'settling', untilMs };
  return { watch: { reached, settledAtMs }, progress };
}

/** The first lapse among Pods that had all reached the goal. */
function lapseSince(
  reached: ReadonlyMap<string, StoredPod>,
  goal: PodGoal,
  pods: readonly StoredPod[],
  allowRestarts: boolean,
): Lapse | undefined {
  for (const now of pods) {
    const before = reached.get(resolvedUid(now));
    const lapse = before && lapseOf(goal, before, now, allowRestarts);
    if (lapse !== undefined) return lapse;
  }
  return undefined;
}

/**
 * The times at which containers without a probe have run long enough. Each time is computed once per start of a
 * container, so that a jump of the wall clock does not change it.
 */
function settleTimes(
  known: ReadonlyMap<string, number>,
  pods: readonly StoredPod[],
  settleMs: number,
  { monotonicMs, wallMs }: Instant,
): ReadonlyMap<string, number> {
  return new Map(
    pods.flatMap((pod) =>
      unprobedStarts(pod).map(({ name, startedAt }): [string, number] => {
        const key = `${pod.metadata.uid}/${name}/${startedAt}`;
        const leftMs = parseTime(startedAt) + settleMs - wallMs;
        // An unreadable or future time counts as now.
        return [key, known.get(key) ?? monotonicMs + Math.min(settleMs, Number.isNaN(leftMs) ? settleMs : leftMs)];
      }),
    ),
  );
}

/** The running containers that Ready needs and that have no readiness and startup probe, with their start times. */
function unprobedStarts({ spec, status }: StoredPod): ReadonlyArray<{ name: string; startedAt: string }> {
  const containers: Container[] = [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)];
  const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  return containers
    .filter(({ readinessProbe, startupProbe }) => readinessProbe === undefined && startupProbe === undefined)
    .flatMap(({ name }) => {
      const startedAt = statuses.find((entry) => entry.name === name)?.state?.running?.startedAt;
      return startedAt ? [{ name, startedAt }] : [];
    });
}

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
