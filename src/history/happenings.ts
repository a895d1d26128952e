import type { ContainerStateTerminated, ContainerStatus } from '../api/generated/types.ts';
import { allContainerStatuses, type StoredEvent, type StoredPod } from '../api/objects.ts';
import { parseTime } from '../api/time.ts';
import type { RecordedRun } from './recorded-run.ts';

/** The exit of a run of a container. */
export interface RunExit {
  readonly exitCode: number;
  readonly reason: string;
}

interface AtMoment {
  /** Milliseconds after the creation of the Pod. */
  readonly atMs: number;
}

interface OfContainer extends AtMoment {
  readonly container: string;
  /** The number of the container's run, from 1 on. */
  readonly attempt: number;
}

/** A single event of a run, derived from its states and Events. */
export type Happening =
  | (AtMoment & { readonly what: 'created' | 'deleted' })
  | (AtMoment & { readonly what: 'phase'; readonly phase: string })
  | (AtMoment & {
      readonly what: 'condition';
      readonly type: string;
      readonly status: string;
      readonly reason?: string | undefined;
    })
  | (OfContainer & { readonly what: 'started' | 'ready' | 'unready' })
  | (OfContainer & { readonly what: 'exited' } & RunExit)
  | (OfContainer & { readonly what: 'waiting'; readonly reason: string })
  /** An Event was written or its count increased. */
  | (AtMoment & { readonly what: 'event'; readonly event: StoredEvent });

/** The progress of a container in the states so far. */
interface Progress {
  started: number;
  exited: number;
  ready: boolean;
  waiting: string | undefined;
}

/** All happenings of a run, in order. A container that ran between two states has its start and its exit. */
export function happeningsIn(run: RecordedRun): Happening[] {
  return happeningsByState(run).flat();
}

/** All happenings of a run, by transition. The happenings of one transition have no order. */
export function happeningsByState(run: RecordedRun): Happening[][] {
  const collector = new HappeningCollector();
  return run.transitions.map(({ at, type, object }) => {
    if (object.kind === 'Event') collector.event(at, type, object);
    else if (type === 'DELETED') collector.add({ what: 'deleted' }, at);
    else collector.state(at, object);
    return collector.collected.splice(0);
  });
}

type Untimed<T> = T extends unknown ? Omit<T, 'atMs'> : never;

class HappeningCollector {
  readonly collected: Happening[] = [];
  readonly #containers = new Map<string, Progress>();
  readonly #conditions = new Map<string, string>();
  #phase: string | undefined;
  #beginMs: number | undefined;

  add(happening: Untimed<Happening>, at: number): void {
    this.#beginMs ??= at;
    this.collected.push({ ...happening, atMs: Math.max(0, at - this.#beginMs) });
  }

  event(at: number, type: string, event: StoredEvent): void {
    if (type !== 'DELETED') this.add({ what: 'event', event }, at);
  }

  state(at: number, pod: StoredPod): void {
    const { phase = 'Pending', conditions = [] } = pod.status;
    if (this.#phase === undefined) {
      const created = parseTime(pod.metadata.creationTimestamp);
      this.#beginMs = Math.min(created, this.#beginMs ?? created);
      this.add({ what: 'created' }, created);
    }
    for (const status of allContainerStatuses(pod.status)) this.#container(at, status);
    for (const { type, status, reason } of conditions) {
      if (this.#conditions.get(type) === status) continue;
      this.#conditions.set(type, status);
      this.add({ what: 'condition', type, status, reason }, at);
    }
    if (this.#phase !== phase) this.add({ what: 'phase', phase }, at);
    this.#phase = phase;
  }

  #container(at: number, status: ContainerStatus): void {
    const { name, restartCount, state = {}, lastState = {}, ready } = status;
    const progress = this.#progressOf(name);
    const attempt = restartCount + 1;
    // The restartCount of a waiting container still counts the last run.
    const last = state.waiting === undefined || state.waiting === null ? restartCount : attempt;
    if (lastState.terminated && last > 0) this.#ended(at, name, { attempt: last, ended: lastState.terminated });
    if (state.running) this.#started(at, name, attempt);
    if (state.terminated) this.#ended(at, name, { attempt, ended: state.terminated });
    const reason = state.waiting?.reason ?? undefined;
    if (reason !== undefined && reason !== progress.waiting) {
      this.add({ what: 'waiting', container: name, attempt: progress.started + 1, reason }, at);
    }
    progress.waiting = reason;
    if (ready !== progress.ready) {
      this.add({ what: ready ? 'ready' : 'unready', container: name, attempt: Math.max(1, progress.started) }, at);
    }
    progress.ready = ready;
  }

  #started(at: number, container: string, attempt: number): void {
    const progress = this.#progressOf(container);
    if (progress.started >= attempt) return;
    progress.started = attempt;
    this.add({ what: 'started', container, attempt }, at);
  }

  #ended(
    at: number,
    container: string,
    { attempt, ended }: { attempt: number; ended: ContainerStateTerminated },
  ): void {
    const progress = this.#progressOf(container);
    if (progress.exited >= attempt) return;
    // A container that could not be started has an exit but no start.
    if (parseTime(ended.startedAt ?? '') > 0) this.#started(at, container, attempt);
    progress.exited = attempt;
    progress.started = Math.max(progress.started, attempt);
    this.add({ what: 'exited', container, attempt, exitCode: ended.exitCode, reason: ended.reason ?? '' }, at);
  }

  #progressOf(container: string): Progress {
    const known = this.#containers.get(container);
    if (known !== undefined) return known;
    const progress: Progress = { started: 0, exited: 0, ready: false, waiting: undefined };
    this.#containers.set(container, progress);
    return progress;
  }
}
