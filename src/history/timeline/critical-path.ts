import type { RecordedRun } from '../base/recorded-run.ts';
import type { AttemptStory, ContainerStory, RunStory, StopSpan } from '../story/model.ts';
import { firstTrueMs } from '../story/pod-spans.ts';
import { storyOf } from '../story/run-story.ts';
import { type CriticalPath, type PathStep, PathWriter, type Timeline } from './model.ts';
import { type PathContainer, specOf, startSteps, waitSteps } from './start-steps.ts';

/**
 * The story of a run with its critical path.
 * @param nowMs the end of the timeline of a Pod that still runs, milliseconds since 1970
 * @returns undefined when the Pod has no recorded state
 */
export function timelineOf(run: RecordedRun, nowMs?: number): Timeline | undefined {
  const story = storyOf(run, nowMs);
  return story && { ...story, criticalPath: criticalPath(story) };
}

/** The condition for ready volumes and network. Source: pkg/kubelet/types/constants.go. */
const SANDBOX_CONDITION = 'PodReadyToStartContainers';

/**
 * Computes the critical path to Ready in the order in which a kubelet starts a Pod: node, volumes and network, each
 * init container to its end, each sidecar until it has started, then the container that became ready last (process,
 * postStart hook, startup probe, readiness probe), then the readiness gates.
 */
function criticalPath(story: RunStory): CriticalPath {
  const { conditions, containers } = story;
  const readyMs = firstTrueMs(conditions, 'Ready');
  const path = new PathWriter(readyMs ?? story.endMs);
  const scheduledMs = schedulingSteps(path, story);
  if (scheduledMs !== undefined) {
    sandboxSteps(path, story);
    const last = decidingContainer(story, readyMs);
    for (const container of containers) {
      if (container === last) break;
      if (container.role === 'init') initSteps(path, { story, container });
      if (container.role === 'sidecar') sidecarSteps(path, { story, container });
    }
    if (last !== undefined) readySteps(path, { story, container: last }, readyMs);
    gateSteps(path, story);
  }
  path.add({ kind: 'reporting' }, path.endMs);
  return { isReady: readyMs !== undefined, fromMs: 0, toMs: path.endMs, steps: withShares(path.steps, path.endMs) };
}

/** Adds the scheduling steps. Returns the time when the Pod was scheduled. */
function schedulingSteps(path: PathWriter, { conditions }: RunStory): number | undefined {
  const spans = conditions.filter(({ type }) => type === 'PodScheduled');
  const scheduledMs = spans.find(({ status }) => status === 'True')?.fromMs;
  for (const { status, reason, message, toMs } of spans) {
    if (status === 'True') break;
    const field = reason === 'SchedulingGated' ? 'spec.schedulingGates' : undefined;
    path.add({ kind: 'scheduling', reason, message, field }, toMs);
  }
  path.add({ kind: 'scheduling' }, scheduledMs ?? path.endMs);
  return scheduledMs;
}

/** Adds the sandbox step. The last warning about the Pod explains a long one. */
function sandboxSteps(path: PathWriter, { conditions, containers, events }: RunStory): void {
  if (!conditions.some(({ type }) => type === SANDBOX_CONDITION)) return;
  const firstStartMs = Math.min(...containers.flatMap(({ attempts }) => attempts[0]?.fromMs ?? []));
  const untilMs = Math.min(firstTrueMs(conditions, SANDBOX_CONDITION) ?? path.endMs, firstStartMs);
  const warning = events.findLast(({ type, container, atMs }) => {
    return type === 'Warning' && container === undefined && atMs >= path.atMs && atMs <= untilMs;
  });
  path.add({ kind: 'sandbox', reason: warning?.reason, message: warning?.message }, untilMs);
}

/** Adds the steps to the end of an init container: every attempt until one has succeeded. */
function initSteps(path: PathWriter, on: PathContainer): void {
  const { container } = on;
  const done = container.attempts.find(({ exit }) => exit?.exitCode === 0);
  for (const attempt of container.attempts) {
    waitSteps(path, on, attempt.fromMs);
    path.add({ kind: 'run', ...nameOf(container, attempt) }, attempt.toMs);
    if (attempt === done) return;
  }
  waitSteps(path, on, path.endMs);
}

/** Adds the steps until the sidecar has started for the first time. */
function sidecarSteps(path: PathWriter, on: PathContainer): void {
  const up = on.container.attempts.find(({ startedUpMs }) => startedUpMs !== undefined);
  attemptSteps(path, on, up, up?.startedUpMs ?? path.endMs);
}

/** Adds the steps until the container became ready, for the readiness that made the Pod Ready. */
function readySteps(path: PathWriter, on: PathContainer, readyMs: number | undefined): void {
  if (on.container.role === 'init') return initSteps(path, on);
  const ready = readyMs === undefined ? undefined : readyAttempt(on.container, readyReportedMs(on.story));
  attemptSteps(path, on, ready?.attempt, ready?.fromMs ?? path.endMs);
}

/** Adds the attempts before the deciding one, the waits between them, and the deciding attempt up to a time. */
function attemptSteps(path: PathWriter, on: PathContainer, counts: AttemptStory | undefined, untilMs: number): void {
  const { container } = on;
  for (const attempt of container.attempts) {
    waitSteps(path, on, attempt.fromMs);
    const isLast = counts === undefined && (attempt.isRunning || lastStop(container)?.attempt === attempt.attempt);
    if (attempt === counts || isLast) return startSteps(path, on, attempt, untilMs);
    path.add({ kind: 'run', ...nameOf(container, attempt) }, attempt.toMs);
  }
  waitSteps(path, on, untilMs);
}

function nameOf(
  { name, role }: ContainerStory,
  { attempt, exit }: AttemptStory,
): Omit<PathStep, 'kind' | 'share' | 'fromMs' | 'toMs'> {
  return { container: name, role, attempt, exitCode: exit?.exitCode, reason: exit?.reason };
}

/** The time when the status first showed Ready. The status was computed a moment earlier. */
function readyReportedMs({ states }: RunStory): number {
  const ready = states.find(({ pod }) =>
    pod.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
  );
  return ready?.atMs ?? 0;
}

/** The attempt that was ready at a time, and the beginning of its readiness. */
function readyAttempt(
  { attempts }: ContainerStory,
  reportedMs: number,
): { readonly attempt: AttemptStory; readonly fromMs: number } | undefined {
  const candidates = attempts.flatMap((attempt) => attempt.ready.map(({ fromMs }) => ({ attempt, fromMs })));
  return candidates.findLast(({ fromMs }) => fromMs <= reportedMs);
}

/**
 * The container that became ready last, which the Pod waited for. For a Pod that was never Ready, the first container
 * that did not become ready.
 */
function decidingContainer(story: RunStory, readyMs: number | undefined): ContainerStory | undefined {
  const { containers, endMs } = story;
  if (readyMs === undefined) return containers.find((container) => !hasGotThere(container, endMs));
  const weigh = (container: ContainerStory): readonly [number, number, number] => {
    const ready = readyAttempt(container, readyReportedMs(story));
    const spec = specOf(story, container.name);
    return [ready?.fromMs ?? -1, spec?.readinessProbe || spec?.startupProbe ? 1 : 0, ready?.attempt.fromMs ?? 0];
  };
  return containers
    .filter(({ role }) => role === 'regular' || role === 'sidecar')
    .map((container) => ({ container, weight: weigh(container) }))
    .toSorted((a, b) => compare(a.weight, b.weight))
    .at(-1)?.container;
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

/** True when the container was ready at the end, or when it was asked to stop. */
function hasGotThere(container: ContainerStory, endMs: number): boolean {
  const { role, attempts } = container;
  if (role === 'ephemeral') return true;
  if (role === 'init') return attempts.some(({ exit }) => exit?.exitCode === 0);
  const untilMs = lastStop(container)?.fromMs ?? endMs;
  return attempts.some(({ ready }) => ready.some(({ toMs }) => toMs >= untilMs));
}

/** The stop of the last attempt, if it was asked to stop: no attempt followed. */
function lastStop({ attempts, stops }: ContainerStory): StopSpan | undefined {
  return stops.findLast(({ attempt }) => attempt === attempts.at(-1)?.attempt);
}

/** Adds the step of the readiness gates, whose conditions other writers set after all containers are ready. */
function gateSteps(path: PathWriter, { pod, conditions }: RunStory): void {
  const gates = (pod.spec.readinessGates ?? []).map(({ conditionType }, index) => {
    return {
      reason: conditionType,
      field: `spec.readinessGates[${index}]`,
      atMs: firstTrueMs(conditions, conditionType),
    };
  });
  const last = gates.toSorted((a, b) => (a.atMs ?? path.endMs) - (b.atMs ?? path.endMs)).at(-1);
  if (last === undefined) return;
  const containersReadyMs = firstTrueMs(conditions, 'ContainersReady');
  if (containersReadyMs === undefined) return;
  path.add({ kind: 'reporting' }, containersReadyMs);
  path.add({ kind: 'readinessGate', reason: last.reason, field: last.field }, last.atMs ?? path.endMs);
}

function withShares(steps: ReadonlyArray<Omit<PathStep, 'share'>>, wholeMs: number): PathStep[] {
  return steps.map((step) => ({ ...step, share: wholeMs === 0 ? 0 : (step.toMs - step.fromMs) / wholeMs }));
}
