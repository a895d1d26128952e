import type { StoredEvent, StoredPod } from '../../api/index.ts';
import {
  type ContainerKind,
  DELETED_FOR_TAINT,
  DELETION_BY_POD_GC,
  EVICTED_BY_API,
  type HookRun,
  PREEMPTED,
  type ProbeAttempt,
  type ProbeType,
  TERMINATION_BY_KUBELET,
} from '../../lifecycle/index.ts';

/** A span of time. Milliseconds after the creation of the Pod, with fractions. `toMs` is never before `fromMs`. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A phase of the Pod. Its reason comes from the Pod's status. */
export interface PhaseSpan extends Stretch {
  readonly phase: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** The time during which a condition had one status. */
export interface ConditionSpan extends Stretch {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** The time from the request to end the Pod to its end, or to the last record. */
export interface EndingSpan extends Stretch {
  /** The grace period in seconds. */
  readonly graceSeconds?: number | undefined;
}

/** The time during which a container waited to run. */
export interface WaitSpan extends Stretch {
  /** The reason in its status: `CrashLoopBackOff`. Undefined: the container has no status yet. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

export interface AttemptExit {
  readonly exitCode: number;
  readonly signal?: number | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** One run of a container's main process. */
export interface AttemptStory extends Stretch {
  /** The restart count: 0 is the first attempt. */
  readonly attempt: number;
  /** True when the attempt still ran at the last record. */
  readonly isRunning: boolean;
  /** Undefined: the attempt still ran, or was removed before its exit was recorded. */
  readonly exit?: AttemptExit | undefined;
  /**
   * The time when the status showed `started`: at once, or after the postStart hook and the startup probe. Undefined:
   * never.
   */
  readonly startedUpMs?: number | undefined;
  /** The times of readiness. Empty for init containers, which are ready when they are done. */
  readonly ready: readonly Stretch[];
}

export interface HookSpan extends Stretch, Pick<HookRun, 'hook' | 'handler' | 'message'> {
  readonly attempt: number;
  /** Undefined: no return of the hook is recorded. */
  readonly result?: HookRun['result'] | undefined;
}

/** An attempt of a probe. */
export interface ProbeSpan extends Stretch {
  readonly probe: ProbeType;
  readonly attempt: number;
  readonly result: ProbeAttempt['result'];
  /** The consequence of the attempt. */
  readonly decision: ProbeAttempt['decision'];
  /** The number of equal results in a row. `threshold` is the number that decides. */
  readonly count: number;
  readonly threshold: number;
  readonly output: string;
}

/** The stop of a container: from the event Killing to its exit. */
export interface StopSpan extends Stretch {
  readonly attempt: number;
  /** The message of the event. */
  readonly why: string;
  /** The grace period in seconds. */
  readonly graceSeconds: number;
}

export interface ContainerStory {
  readonly name: string;
  readonly role: ContainerKind;
  readonly waits: readonly WaitSpan[];
  readonly attempts: readonly AttemptStory[];
  readonly hooks: readonly HookSpan[];
  readonly probes: readonly ProbeSpan[];
  readonly stops: readonly StopSpan[];
}

/** An event, once for each time that it was recorded. */
export interface EventMark {
  readonly atMs: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** The count of the event at that time. */
  readonly count: number;
  /** Undefined: the event is about the Pod. */
  readonly container?: string | undefined;
}

/** A moment of the record. */
interface AtMoment {
  readonly atMs: number;
  /** The number of the transition in the record. The happenings of one transition have no order. */
  readonly transition: number;
}

interface OfContainer extends AtMoment {
  readonly container: string;
  /** The number of the container's run, from 1 on. */
  readonly run: number;
}

/** The evictions by the reasons of the condition DisruptionTarget. */
export const EVICTED_BY: Readonly<Record<string, string>> = {
  [DELETED_FOR_TAINT.reason]: 'TaintManager',
  [EVICTED_BY_API.reason]: 'API',
  [PREEMPTED.reason]: 'Preemption',
  [DELETION_BY_POD_GC.reason]: 'PodGC',
  [TERMINATION_BY_KUBELET]: 'Kubelet',
};

/** The exit of a run of a container. */
export interface RunExit extends OfContainer {
  readonly what: 'exited';
  readonly exitCode: number;
  readonly reason: string;
}

/** A single event of a run, derived from its states and Events. Its time is the time of the record. */
export type Happening =
  | (AtMoment & { readonly what: 'created' | 'deleted' })
  | (AtMoment & { readonly what: 'phase'; readonly phase: string })
  | (AtMoment & {
      readonly what: 'condition';
      readonly type: string;
      readonly status: string;
      readonly reason?: string | undefined;
    })
  /** The node that has taken the Pod, or that it waits for; or who has evicted it, see EVICTED_BY. */
  | (AtMoment & { readonly what: 'scheduled' | 'nominated' | 'evicted'; readonly subject: string })
  | (OfContainer & { readonly what: 'started' | 'ready' | 'unready' })
  | RunExit
  | (OfContainer & { readonly what: 'waiting'; readonly reason: string })
  /** An Event was written or its count increased. */
  | (AtMoment & { readonly what: 'event'; readonly event: StoredEvent });

/** A state of a Pod and the time when it was written. */
export interface PodState {
  readonly atMs: number;
  readonly pod: StoredPod;
}

/**
 * The story of a run of a Pod: what each container did, computed once from the recorded states, Events and journals by
 * pure functions. Times are milliseconds after `createdAtMs`, with fractions.
 *
 * - Timelines and their critical path draw the spans: phases, conditions, and of each container its waits, attempts,
 *   hooks, probes and stops.
 * - Advice measures the same attempts and stops; reports (JUnit) have a case for each container, probe and hook.
 * - Expectations look for patterns in the happenings: what a reader of the states sees, in the order of the records.
 * - Comparisons use both: attempts for exits and durations, happenings for the order.
 *
 * A status shows two runs of a container at most: `runsIn` is the one place that says which ones, for recorded and for
 * live Pods. `containerOfEvent` says which container an Event is about.
 */
export interface RunStory {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The creation of the Pod, milliseconds since 1970. */
  readonly createdAtMs: number;
  /** The last recorded time. */
  readonly endMs: number;
  /** True when the Pod has ended or was removed. */
  readonly isOver: boolean;
  /** The last recorded state of the Pod, which has all its containers. */
  readonly pod: StoredPod;
  /** The states in order. The deleted object is not a state. */
  readonly states: readonly PodState[];
  readonly happenings: readonly Happening[];
  /** The phases in order, without gaps. */
  readonly phases: readonly PhaseSpan[];
  /** The conditions by type, in the order of their first appearance, then in order of time. */
  readonly conditions: readonly ConditionSpan[];
  /** Undefined: the Pod was not asked to end. */
  readonly ending?: EndingSpan | undefined;
  /** The containers in the order of their start: init containers and sidecars, regular ones, ephemeral ones. */
  readonly containers: readonly ContainerStory[];
  /** The events in the order of their records. */
  readonly events: readonly EventMark[];
}
