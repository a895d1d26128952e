import type { Container } from '../../api/generated/types.ts';
import { isSidecar, type StoredPod } from '../../api/objects.ts';
import { type Instant, parseTime } from '../../api/time.ts';
import { type Goal, type GoalState, includesReady } from './goal.ts';
import { lapseAtEnd, lapseOf } from './lapse.ts';
import type { Lapse } from './run-outcome.ts';

/** `--settle` when it is not given, in milliseconds. */
export const SETTLE_MS = 1000;

/** The rules by which a goal counts as reached. */
export interface GoalRules {
  /** How long a container without readiness and startup probe must have run, milliseconds; 0: not at all. */
  readonly settleMs: number;
  /** Containers may end, as long as they come back and are Ready in the end. */
  readonly allowRestarts: boolean;
}

/** All that is remembered of Pods on their way to a goal. Begins as `NOT_REACHED`. */
export interface GoalWatch {
  /** The Pods by uid, as they were when all of them had reached the goal; undefined: they have not. */
  readonly reached: ReadonlyMap<string, StoredPod> | undefined;
  /** The moment on the stopwatch when a container has run long enough, by its Pod's uid, its name and its start. */
  readonly settledAtMs: ReadonlyMap<string, number>;
}

export const NOT_REACHED: GoalWatch = { reached: undefined, settledAtMs: new Map() };

export type GoalProgress =
  | { readonly type: 'pending' }
  /** Every Pod is where it should be, and it has to hold until then, on the stopwatch. */
  | { readonly type: 'settling'; readonly untilMs: number }
  | { readonly type: 'met' }
  /** This Pod can never get there any more. */
  | { readonly type: 'impossible'; readonly pod: StoredPod }
  | { readonly type: 'lapsed'; readonly lapse: Lapse };

export interface GoalQuestion {
  /** Undefined: it is nothing that podrun knows by name, and `stateOf` alone decides. */
  readonly goal: Goal | undefined;
  readonly rules: GoalRules;
  readonly pods: readonly StoredPod[];
  readonly now: Instant;
  /** Whether a Pod is there: `goalState` of the goal, which a caller may remember by Pod. */
  readonly stateOf: (pod: StoredPod) => GoalState;
}

/**
 * Looks at Pods on their way to a goal: call it after every change, and when the time of `settling` has come.
 *
 * A goal that includes Ready is met when it held: each container has either passed a probe or run for the settle time.
 * A container that ends meanwhile is a lapse, unless restarts are allowed: then the wait goes on.
 */
export function watchGoal(
  watch: GoalWatch,
  question: GoalQuestion,
): { readonly watch: GoalWatch; readonly progress: GoalProgress } {
  const { goal, rules, pods, now, stateOf } = question;
  const lapse = goal && watch.reached && lapseSince(watch.reached, goal, pods, rules.allowRestarts);
  const states = pods.map(stateOf);
  const hopeless = pods[states.indexOf('impossible')];
  if (hopeless !== undefined) return { watch, progress: { type: 'impossible', pod: hopeless } };
  if (lapse !== undefined) return { watch, progress: { type: 'lapsed', lapse } };
  if (!states.every((state) => state === 'met')) return { watch: NOT_REACHED, progress: { type: 'pending' } };
  const reached = watch.reached ?? new Map(pods.map((pod) => [pod.metadata.uid, pod]));
  if (goal === undefined || !includesReady(goal) || rules.settleMs === 0) {
    return { watch: { reached, settledAtMs: watch.settledAtMs }, progress: { type: 'met' } };
  }
  const settledAtMs = settleTimes(watch.settledAtMs, pods, rules.settleMs, now);
  const untilMs = Math.max(0, ...settledAtMs.values());
  const progress: GoalProgress = untilMs <= now.monotonicMs ? { type: 'met' } : { type: 'settling', untilMs };
  return { watch: { reached, settledAtMs }, progress };
}

/** The first breakdown among Pods that had all reached the goal. */
export function lapseSince(
  reached: ReadonlyMap<string, StoredPod>,
  goal: Goal,
  pods: readonly StoredPod[],
  allowRestarts: boolean,
): Lapse | undefined {
  return first(reached, pods, (before, now) => lapseOf(goal, before, now, allowRestarts));
}

/** The first breakdown that is left at the end of a run in which containers were allowed to end. */
export function lapseLeft(
  reached: ReadonlyMap<string, StoredPod>,
  goal: Goal,
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
    const before = reached.get(now.metadata.uid);
    const lapse = before && find(before, now);
    if (lapse !== undefined) return lapse;
  }
  return undefined;
}

/**
 * The moments at which containers that no probe vouches for have run long enough. Each is computed once for a start of
 * a container, so that a wall clock that jumps meanwhile neither shortens nor lengthens it.
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
        // A time that cannot be read, or one in the future, counts as now.
        return [key, known.get(key) ?? monotonicMs + Math.min(settleMs, Number.isNaN(leftMs) ? settleMs : leftMs)];
      }),
    ),
  );
}

/** The containers that run and that Ready needs, without a readiness and a startup probe, and when they started. */
function unprobedStarts({ spec, status }: StoredPod): ReadonlyArray<{ name: string; startedAt: string }> {
  const containers: Container[] = [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)];
  const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  return containers
    .filter(({ readinessProbe, startupProbe }) => readinessProbe === undefined && startupProbe === undefined)
    .flatMap(({ name }) => {
      const startedAt = statuses.find((one) => one.name === name)?.state?.running?.startedAt;
      return startedAt ? [{ name, startedAt }] : [];
    });
}
