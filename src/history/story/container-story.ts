import {
  type ContainerStateRunning,
  type ContainerStateTerminated,
  type ContainerStatus,
  parseTime,
} from '../../api/index.ts';
import { containerKind, EVENT_REASON, TERMINATED } from '../../lifecycle/index.ts';
import type { Axis } from './axis.ts';
import type {
  AttemptStory,
  ContainerStory,
  EventMark,
  Happening,
  HookSpan,
  ProbeSpan,
  StopSpan,
  WaitSpan,
} from './model.ts';

/** A happening of a container before its place in the record is added. */
type ContainerHappening = Happening extends infer One
  ? One extends { readonly container: string }
    ? Omit<One, 'atMs' | 'transition' | 'container'>
    : never
  : never;

/** False for an attempt whose process could not be started. */
export function hasStarted({ exit }: AttemptStory): boolean {
  return exit?.reason !== TERMINATED.startError;
}

/** An attempt in the making. */
type MutableAttempt = { -readonly [Field in keyof AttemptStory]: AttemptStory[Field] };

/** Makes the story of one container, status by status. */
export class ContainerWriter {
  readonly #axis: Axis;
  readonly #name: string;
  readonly #attempts = new Map<number, MutableAttempt>();
  /** The attempts that have an end in the status, but no container was ever made for them. */
  readonly #neverMade = new Set<number>();
  readonly #waits: WaitSpan[] = [];
  #waiting: WaitSpan | undefined = { fromMs: 0, toMs: 0 };
  /** The reason and readiness in the last status. */
  #last: { readonly reason: string | undefined; readonly ready: boolean } = { reason: undefined, ready: false };
  #readySince: { readonly attempt: MutableAttempt; readonly fromMs: number } | undefined;

  constructor(axis: Axis, name: string) {
    this.#axis = axis;
    this.#name = name;
  }

  /** Adds a status that was written at a time. Returns what happened since the status before. */
  add(status: ContainerStatus, atMs: number): ContainerHappening[] {
    const runs = runsIn(status);
    const happenings = runs.flatMap((run) => this.#run(run, atMs));
    const current = status.state?.running ? this.#attempts.get(status.restartCount) : undefined;
    for (const attempt of this.#attempts.values()) {
      // A RestartAllContainers rule has removed the container: its exit is not recorded.
      if (attempt.isRunning && attempt !== current) {
        Object.assign(attempt, { isRunning: false, toMs: Math.max(attempt.fromMs, atMs) });
      }
    }
    this.#wait(status, atMs);
    this.#ready(status, current, atMs);
    return [...happenings, ...this.#turns(status)];
  }

  /** The story up to the last status. */
  story(events: readonly EventMark[]): ContainerStory {
    this.#endReady(this.#axis.endMs);
    if (this.#axis.states.length > 0) this.#endWait(this.#axis.endMs);
    const { run, pod } = this.#axis;
    const name = this.#name;
    const made = [...this.#attempts.values()].filter(({ attempt }) => !this.#neverMade.has(attempt));
    const attempts = made.toSorted((a, b) => a.fromMs - b.fromMs);
    return {
      name,
      role: containerKind(pod, name),
      waits: this.#waits,
      attempts,
      hooks: run.hooks.filter(({ container }) => container === name).map((hook) => hookSpan(this.#axis, hook)),
      probes: run.probes.filter(({ container }) => container === name).map((probe) => probeSpan(this.#axis, probe)),
      stops: stopSpans(
        this.#axis,
        attempts,
        events.filter(({ container }) => container === name),
      ),
    };
  }

  #run({ attempt, running, terminated }: RunInStatus, atMs: number): ContainerHappening[] {
    const known = this.#attempts.get(attempt);
    if (known?.exit !== undefined) return [];
    const run = attempt + 1;
    if (running) {
      if (known !== undefined) return [];
      const fromMs = Math.min(this.#axis.endMs, this.#axis.moment(running.startedAt, atMs) ?? atMs);
      this.#attempts.set(attempt, { attempt, ready: [], isRunning: true, fromMs, toMs: this.#axis.endMs });
      return [{ what: 'started', run }];
    }
    if (terminated === undefined) return [];
    this.#end(terminated, attempt, atMs);
    const { exitCode, reason = '' } = terminated;
    // A container that could not be started has an exit but no start.
    const isNew = known === undefined && parseTime(terminated.startedAt ?? '') > 0;
    return [...(isNew ? [{ what: 'started', run } as const] : []), { what: 'exited', run, exitCode, reason }];
  }

  #end(ended: ContainerStateTerminated, attempt: number, atMs: number): void {
    const { exitCode, signal, reason, message, startedAt, finishedAt } = ended;
    const { moment } = this.#axis;
    const known = this.#attempts.get(attempt);
    const toMs = Math.max(known?.fromMs ?? 0, moment(finishedAt, atMs) ?? atMs);
    const fromMs = known?.fromMs ?? Math.min(toMs, moment(startedAt, atMs) ?? toMs);
    const exit = {
      exitCode,
      ...(signal ? { signal } : {}),
      ...(reason ? { reason } : {}),
      ...(message ? { message } : {}),
    };
    const startedUp = known?.startedUpMs === undefined ? {} : { startedUpMs: Math.min(known.startedUpMs, toMs) };
    const end = { isRunning: false, fromMs, toMs, ...startedUp, exit };
    if (known !== undefined) return void Object.assign(known, end);
    if (reason === TERMINATED.statusUnknown && !startedAt) this.#neverMade.add(attempt);
    this.#attempts.set(attempt, { attempt, ready: [], ...end });
  }

  #wait({ state, restartCount }: ContainerStatus, atMs: number): void {
    if (!state?.waiting) return this.#endWait(Math.min(atMs, this.#attempts.get(restartCount)?.fromMs ?? atMs));
    const { reason, message } = state.waiting;
    if (this.#waiting !== undefined && this.#waiting.reason === reason) return;
    this.#endWait(atMs);
    this.#waiting = { fromMs: atMs, toMs: atMs, ...(reason ? { reason } : {}), ...(message ? { message } : {}) };
  }

  #endWait(atMs: number): void {
    if (this.#waiting !== undefined && atMs > this.#waiting.fromMs) this.#waits.push({ ...this.#waiting, toMs: atMs });
    this.#waiting = undefined;
  }

  #ready({ started, ready }: ContainerStatus, current: MutableAttempt | undefined, atMs: number): void {
    if (current !== undefined && started !== false) {
      current.startedUpMs ??= Math.min(Math.max(atMs, current.fromMs), current.toMs);
    }
    if (this.#readySince !== undefined && (this.#readySince.attempt !== current || !ready)) this.#endReady(atMs);
    if (current === undefined || !ready || containerKind(this.#axis.pod, this.#name) === 'init') return;
    this.#readySince ??= { attempt: current, fromMs: Math.max(atMs, current.fromMs) };
  }

  /** A status may still show a container as ready that has just ended, when many containers change. */
  #endReady(atMs: number): void {
    const since = this.#readySince;
    this.#readySince = undefined;
    if (since === undefined || since.fromMs > since.attempt.toMs) return;
    const { attempt, fromMs } = since;
    attempt.ready = [...attempt.ready, { fromMs, toMs: Math.max(fromMs, Math.min(atMs, attempt.toMs)) }];
  }

  /** The changes of the waiting reason and of readiness, as the status shows them. */
  #turns({ state, ready }: ContainerStatus): ContainerHappening[] {
    const before = this.#last;
    const reason = state?.waiting?.reason ?? undefined;
    this.#last = { reason, ready };
    const runs = Math.max(-1, ...this.#attempts.keys()) + 1;
    return [
      ...(reason === undefined || reason === before.reason
        ? []
        : [{ what: 'waiting', run: runs + 1, reason } as const]),
      ...(ready === before.ready ? [] : [{ what: ready ? 'ready' : 'unready', run: Math.max(1, runs) } as const]),
    ];
  }
}

function hookSpan({ createdAtMs, endMs }: Axis, recorded: Axis['run']['hooks'][number]): HookSpan {
  const { hook, handler, restartCount, time, durationMs, result, message } = recorded;
  const fromMs = Math.max(0, parseTime(time) - createdAtMs);
  const toMs = Math.max(fromMs, Math.min(endMs, fromMs + durationMs));
  return { hook, handler, attempt: restartCount, result, ...(message ? { message } : {}), fromMs, toMs };
}

function probeSpan({ createdAtMs }: Axis, recorded: Axis['run']['probes'][number]): ProbeSpan {
  const { probe, restartCount, result, decision, output, durationMs, successes, failures } = recorded;
  const fromMs = Math.max(0, parseTime(recorded.time) - createdAtMs);
  const [count, threshold] =
    successes > 0 ? [successes, recorded.successThreshold] : [failures, recorded.failureThreshold];
  const counted = { result, decision, count, threshold, output };
  return { probe, attempt: restartCount, ...counted, fromMs, toMs: fromMs + durationMs };
}

/** The stops of a container, each from its event Killing on. Source of the event: pkg/kubelet/events/event.go. */
function stopSpans({ pod }: Axis, attempts: readonly AttemptStory[], events: readonly EventMark[]): StopSpan[] {
  const graceSeconds = pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30;
  return events
    .filter(({ reason }) => reason === EVENT_REASON.killing)
    .flatMap(({ atMs, message }) => {
      // Events may come a moment after the exit that they announce.
      const stopped = attempts.findLast(({ fromMs }) => fromMs <= atMs);
      if (stopped === undefined) return [];
      const fromMs = Math.min(atMs, stopped.toMs);
      return [{ attempt: stopped.attempt, why: message, graceSeconds, fromMs, toMs: stopped.toMs }];
    });
}

/** A run of a container that its status shows: it runs, or it has ended. */
interface RunInStatus {
  /** The restart count: 0 is the first run. */
  readonly attempt: number;
  readonly running?: ContainerStateRunning | undefined;
  readonly terminated?: ContainerStateTerminated | undefined;
}

/**
 * The runs that a status shows, at most two: the run before, and the current or last one. A container that a
 * RestartAllContainers rule removed shows no end: its own was another one, or is not recorded.
 */
function runsIn({ restartCount, state, lastState }: ContainerStatus): RunInStatus[] {
  const { running, terminated } = state ?? {};
  const isStarted = Boolean(running ?? terminated);
  const before = lastState?.terminated;
  const isEnd = before && before.reason !== TERMINATED.restartingAllContainers;
  // A container that waits for its restart has the restartCount of its last run.
  const attempt = isStarted ? restartCount - 1 : restartCount;
  return [
    ...(isEnd && attempt >= 0 ? [{ attempt, terminated: before }] : []),
    ...(isStarted ? [{ attempt: restartCount, running, terminated }] : []),
  ];
}

/** A run that has ended. */
export interface EndInStatus extends RunInStatus {
  readonly terminated: ContainerStateTerminated;
}

/**
 * The ends of runs that a status shows, at most two. Undefined status: none. A container in a back-off whose Pod ends
 * has no run to be lost: its last end counts.
 */
export function endsIn(status: ContainerStatus | undefined): EndInStatus[] {
  const runs = status === undefined ? [] : runsIn(status);
  const ends = runs.flatMap(({ attempt, terminated }) => (terminated ? [{ attempt, terminated }] : []));
  return ends.length < 2 ? ends : ends.filter(({ terminated }) => hasRun(terminated));
}

function hasRun({ reason, startedAt }: ContainerStateTerminated): boolean {
  return reason !== TERMINATED.statusUnknown || Boolean(startedAt);
}
