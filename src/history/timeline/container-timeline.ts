import type { Container, ContainerStateTerminated, ContainerStatus } from '../../api/generated/types.ts';
import { allContainerStatuses } from '../../api/objects.ts';
import { parseTime } from '../../api/time.ts';
import { type ContainerKind, containerKind } from '../../lifecycle/status/container-status.ts';
import type { Axis } from './axis.ts';
import type { AttemptSpan, ContainerTimeline, EventMark, HookSpan, ProbeSpan, StopSpan, WaitSpan } from './model.ts';

/** The event of a container that is asked to stop. Source: pkg/kubelet/events/event.go. */
const KILLING = 'Killing';

/** The timeline of one container of the Pod. */
export function containerTimeline(axis: Axis, container: Container, events: readonly EventMark[]): ContainerTimeline {
  const { name } = container;
  const role = containerKind(axis.pod, name);
  const { waits, attempts } = waitsAndAttempts(axis, name, role);
  return {
    name,
    role,
    waits,
    attempts,
    hooks: hookSpans(axis, name),
    probes: probeSpans(axis, name),
    stops: stopSpans(
      axis,
      attempts,
      events.filter((event) => event.container === name),
    ),
  };
}

/** An attempt in the making. */
type MutableAttempt = { -readonly [Field in keyof AttemptSpan]: AttemptSpan[Field] };

/** Collects the attempts and waits of a container from its statuses. */
function waitsAndAttempts(
  axis: Axis,
  name: string,
  role: ContainerKind,
): Pick<ContainerTimeline, 'waits' | 'attempts'> {
  const attempts = new Map<string, MutableAttempt>();
  const waits: WaitSpan[] = [];
  const readyNow = new Map<string, number>();
  let waiting: WaitSpan | undefined = { fromMs: 0, toMs: 0 };
  const endWait = (atMs: number): void => {
    if (waiting !== undefined && atMs > waiting.fromMs) waits.push({ ...waiting, toMs: atMs });
    waiting = undefined;
  };
  for (const { atMs, pod } of axis.states) {
    const status = allContainerStatuses(pod.status).find((entry) => entry.name === name);
    if (status === undefined) continue;
    noteAttempts(axis, status, atMs, attempts);
    const { state, containerID = '' } = status;
    const current = state?.running === undefined ? undefined : attempts.get(containerID);
    for (const [id, attempt] of attempts) {
      // A RestartAllContainers rule has removed the container: its exit is not recorded.
      if (attempt.isRunning && (id !== containerID || current === undefined)) {
        Object.assign(attempt, { isRunning: false, toMs: Math.max(attempt.fromMs, atMs) });
      }
    }
    if (state?.waiting === undefined) {
      endWait(Math.min(atMs, attempts.get(containerID)?.fromMs ?? atMs));
    } else if (waiting === undefined || waiting.reason !== state.waiting.reason) {
      endWait(atMs);
      const { reason, message } = state.waiting;
      waiting = { fromMs: atMs, toMs: atMs, ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
    }
    if (current !== undefined && status.started !== false) {
      current.startedUpMs ??= Math.min(Math.max(atMs, current.fromMs), current.toMs);
    }
    if (role !== 'init' && current !== undefined && status.ready && !readyNow.has(containerID)) {
      readyNow.set(containerID, Math.max(atMs, current.fromMs));
    }
    for (const [id, fromMs] of readyNow) {
      if (id === containerID && current !== undefined && status.ready) continue;
      readyNow.delete(id);
      addReady(attempts.get(id), fromMs, atMs);
    }
  }
  for (const [id, fromMs] of readyNow) addReady(attempts.get(id), fromMs, axis.endMs);
  if (waiting !== undefined && axis.states.length > 0) endWait(axis.endMs);
  return { waits, attempts: [...attempts.values()].toSorted((a, b) => a.fromMs - b.fromMs) };
}

/**
 * Adds a time of readiness. When many containers change, a status may show a container as ready that has just ended.
 */
function addReady(attempt: MutableAttempt | undefined, fromMs: number, toMs: number): void {
  if (attempt === undefined || fromMs > attempt.toMs) return;
  const end = Math.max(fromMs, Math.min(toMs, attempt.toMs));
  attempt.ready = [...attempt.ready, { fromMs, toMs: end }];
}

/** Notes the attempts in a status: the current or last attempt, and the attempt before. */
function noteAttempts(axis: Axis, status: ContainerStatus, atMs: number, attempts: Map<string, MutableAttempt>): void {
  const { state, lastState, restartCount, containerID = '' } = status;
  const before = lastState?.terminated;
  if (before?.containerID)
    noteEnd(axis, before, { atMs, attempt: state?.waiting ? restartCount : restartCount - 1 }, attempts);
  if (state?.running !== undefined && containerID !== '' && !attempts.has(containerID)) {
    const fromMs = Math.min(axis.endMs, axis.moment(state.running.startedAt, atMs) ?? atMs);
    attempts.set(containerID, { attempt: restartCount, isRunning: true, fromMs, toMs: axis.endMs, ready: [] });
  }
  if (state?.terminated?.containerID) noteEnd(axis, state.terminated, { atMs, attempt: restartCount }, attempts);
}

function noteEnd(
  { moment }: Axis,
  ended: ContainerStateTerminated,
  { atMs, attempt }: { readonly atMs: number; readonly attempt: number },
  attempts: Map<string, MutableAttempt>,
): void {
  const { containerID = '', exitCode, signal, reason, message } = ended;
  const known = attempts.get(containerID);
  if (known?.exit !== undefined) return;
  const toMs = Math.max(known?.fromMs ?? 0, moment(ended.finishedAt, atMs) ?? atMs);
  const fromMs = known?.fromMs ?? Math.min(toMs, moment(ended.startedAt, atMs) ?? toMs);
  const exit = {
    exitCode,
    ...(signal ? { signal } : {}),
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
  };
  attempts.set(containerID, {
    attempt: Math.max(0, attempt),
    ready: [],
    ...known,
    ...(known?.startedUpMs === undefined ? {} : { startedUpMs: Math.min(known.startedUpMs, toMs) }),
    isRunning: false,
    fromMs,
    toMs,
    exit,
  });
}

function hookSpans({ run, createdAtMs, endMs }: Axis, name: string): HookSpan[] {
  return run.hooks
    .filter(({ container }) => container === name)
    .map(({ hook, handler, restartCount, time, durationMs, result, message }) => {
      const fromMs = Math.max(0, parseTime(time) - createdAtMs);
      const toMs = Math.max(fromMs, Math.min(endMs, fromMs + durationMs));
      return { hook, handler, attempt: restartCount, result, ...(message ? { message } : {}), fromMs, toMs };
    });
}

function probeSpans({ run, createdAtMs }: Axis, name: string): ProbeSpan[] {
  return run.probes
    .filter(({ container }) => container === name)
    .map((attempt) => {
      const { probe, restartCount, result, decision, output, durationMs, successes, failures } = attempt;
      const fromMs = Math.max(0, parseTime(attempt.time) - createdAtMs);
      const [count, threshold] =
        successes > 0 ? [successes, attempt.successThreshold] : [failures, attempt.failureThreshold];
      const counted = { result, decision, count, threshold, output };
      return { probe, attempt: restartCount, ...counted, fromMs, toMs: fromMs + durationMs };
    });
}

function stopSpans({ pod }: Axis, attempts: readonly AttemptSpan[], events: readonly EventMark[]): StopSpan[] {
  const graceSeconds = pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
  return events
    .filter(({ reason }) => reason === KILLING)
    .flatMap(({ atMs, message }) => {
      // Events may come a moment after the exit that they announce.
      const stopped = attempts.findLast(({ fromMs }) => fromMs <= atMs);
      if (stopped === undefined) return [];
      const fromMs = Math.min(atMs, stopped.toMs);
      return [{ attempt: stopped.attempt, why: message, graceSeconds, fromMs, toMs: stopped.toMs }];
    });
}
