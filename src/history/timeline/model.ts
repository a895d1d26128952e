import type { HookRun } from '../../lifecycle/hook-run.ts';
import type { ProbeAttempt } from '../../lifecycle/probes/probe-attempt.ts';
import type { ProbeType } from '../../lifecycle/probes/probe.ts';
import type { ContainerKind } from '../../lifecycle/status/container-status.ts';

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
export interface AttemptSpan extends Stretch {
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

export interface ContainerTimeline {
  readonly name: string;
  readonly role: ContainerKind;
  readonly waits: readonly WaitSpan[];
  readonly attempts: readonly AttemptSpan[];
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

/** The kind of a step on the way to Ready. */
export type StepKind =
  /** Until the Pod was scheduled: PodScheduled. */
  | 'scheduling'
  /** Volumes and network: PodReadyToStartContainers. */
  | 'sandbox'
  /** Until the process of a container ran, from the time when its start could begin. */
  | 'creating'
  /** The part of `creating` that pulls the image. */
  | 'image'
  /** A wait that is no part of an ordinary start: a missing image or configuration. */
  | 'blocked'
  | 'backOff'
  /** Between two attempts, without back-off. */
  | 'restart'
  /** An init container at work, or an attempt that ended before it was ready. */
  | 'run'
  | 'postStart'
  /** initialDelaySeconds of a probe. */
  | 'initialDelay'
  /** Until the first tick of a probe. Ticks come every periodSeconds. */
  | 'firstTick'
  /** From the first attempt of a probe to the end of its last failed attempt. */
  | 'failing'
  /** From there to the attempt that succeeded: the program was ready at some time in this step. */
  | 'lastPeriod'
  /** The attempt that succeeded. */
  | 'probe'
  /** Further attempts for successThreshold. */
  | 'successThreshold'
  /** Until a startup or readiness probe had succeeded, if its attempts are not recorded. */
  | 'probing'
  /** A condition of another writer. */
  | 'readinessGate'
  /** Until the status showed the change. */
  | 'reporting';

/** One step of the critical path. Each step begins at the end of the previous one. */
export interface PathStep extends Stretch {
  readonly kind: StepKind;
  /** The part of the whole path, 0 to 1. */
  readonly share: number;
  /** Undefined: the step is about the Pod. */
  readonly container?: string | undefined;
  readonly role?: ContainerKind | undefined;
  readonly attempt?: number | undefined;
  readonly probe?: ProbeType | undefined;
  /** The number of attempts of the probe. */
  readonly probes?: number | undefined;
  readonly exitCode?: number | undefined;
  /** The reason in the status or condition. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** The field of the manifest that determines the length of this step: `spec.readinessGates[0]`. */
  readonly field?: string | undefined;
}

/**
 * The steps that had to happen one after another until the Pod was Ready for the first time. They cover the time from
 * its creation to `toMs` without gaps. Anything else happened in parallel.
 */
export interface CriticalPath extends Stretch {
  /** False: the Pod was never Ready. The path then ends with the wait at its end or at the last record. */
  readonly isReady: boolean;
  readonly steps: readonly PathStep[];
}

/** A run of a Pod on one axis of time: all `Ms` count from `createdAtMs`. */
export interface Timeline {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The creation of the Pod, milliseconds since 1970. */
  readonly createdAtMs: number;
  /** The last recorded time. */
  readonly endMs: number;
  /** True when the Pod has ended or was removed. */
  readonly isOver: boolean;
  /** The phases in order, without gaps. */
  readonly phases: readonly PhaseSpan[];
  /** The conditions by type, in the order of their first appearance, then in order of time. */
  readonly conditions: readonly ConditionSpan[];
  /** Undefined: nobody asked the Pod to end. */
  readonly ending?: EndingSpan | undefined;
  /** The containers in the order of their start: init containers and sidecars, regular ones, ephemeral ones. */
  readonly containers: readonly ContainerTimeline[];
  /** The events in the order of their records. */
  readonly events: readonly EventMark[];
  readonly criticalPath: CriticalPath;
}
