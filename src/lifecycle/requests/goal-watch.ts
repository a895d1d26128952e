import { type Container, type Instant, isSidecar, parseTime, resolvedUid, type StoredPod } from '../../api/index.ts';
import { type PodGoal, type GoalState, includesReady } from './goal.ts';
import { lapseAtEnd, lapseOf } from './lapse.ts';
import type { Lapse } from './run-outcome.ts';

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
export interface WatchedGoal<Subject> {
  /** Undefined: podrun has no name for the goal, and only `stateOf` decides. */
  readonly goal: PodGoal | undefined;
  readonly rules: GoalRules;
  readonly subjects: readonly Subject[];
  /** The Pods that must keep running. */
  readonly pods: readonly StoredPod[];
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
  const { goal, rules, subjects, pods, now, stateOf } = goalToWatch;
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
  const settledAtMs = settleTimes(watch.settledAtMs, pods, rules.settleMs, now);
  const untilMs = Math.max(0, ...settledAtMs.values());
  const progress: GoalProgress<Subject> = untilMs <= now.monotonicMs ? { type: 'met' } : { type: 'settling', untilMs };
  return { watch: { reached, settledAtMs }, progress };
}

/** The first lapse among Pods that had all reached the goal. */
export function lapseSince(
  reached: ReadonlyMap<string, StoredPod>,
  goal: PodGoal,
  pods: readonly StoredPod[],
  allowRestarts: boolean,
): Lapse | undefined {
  return first(reached, pods, (before, now) => lapseOf(goal, before, now, allowRestarts));
}

/** The first lapse that is left at the end of a run in which containers were allowed to end. */
export function lapseLeft(
  reached: ReadonlyMap<string, StoredPod>,
  goal: PodGoal,
  pods: readonly StoredPod[],
): Lapse | undefined {
  return first(reached, pods, (before, now) => lapseAtEnd(goal, before, now));
}

function first(
  reached: ReadonlyMap<string, StoredPod>,
  pods: readonly StoredPod[],
  find: (before: StoredPod, now: StoredPod) => Lapse | undefined,
): Lapse | undefined {
  for (const now of pods) {
    const before = reached.get(resolvedUid(now));
    const lapse = before && find(before, now);
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
