import type { HookRun } from '../../lifecycle/hook-run.ts';
import type { ProbeAttempt } from '../../lifecycle/probes/probe-attempt.ts';
import type { ProbeType } from '../../lifecycle/probes/probe.ts';
import type { ContainerKind } from '../../lifecycle/status/container-status.ts';

/** A stretch of time. Milliseconds after the Pod was created, with fractions; `toMs` is never before `fromMs`. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A phase of the Pod, with why it has it where the Pod itself says so. */
export interface PhaseSpan extends Stretch {
  readonly phase: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** How long a condition had one status. */
export interface ConditionSpan extends Stretch {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** From the moment at which somebody asked the Pod to end until it was over, or as far as is known. */
export interface EndingSpan extends Stretch {
  /** What the Pod was given, in seconds. */
  readonly graceSeconds?: number | undefined;
}

/** A container that does not run and is to run. */
export interface WaitSpan extends Stretch {
  /** As its status says: `CrashLoopBackOff`. Undefined: it has no status yet. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** How an attempt ended. */
export interface AttemptExit {
  readonly exitCode: number;
  readonly signal?: number | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** One run of a container's main process. */
export interface AttemptSpan extends Stretch {
  /** Its restart count: 0 is the first. */
  readonly attempt: number;
  /** It was still running when this was recorded last. */
  readonly isRunning: boolean;
  /** Undefined: it still ran, or was removed before anybody saw how it ended. */
  readonly exit?: AttemptExit | undefined;
  /** When it counted as started: at once, or after its postStart hook and startup probe. Undefined: never. */
  readonly startedUpMs?: number | undefined;
  /** When it was ready; not for init containers, which are ready when they are done. */
  readonly ready: readonly Stretch[];
}

/** A hook that was run. */
export interface HookSpan extends Stretch, Pick<HookRun, 'hook' | 'handler' | 'message'> {
  readonly attempt: number;
  /** Undefined: it has not returned, as far as is known. */
  readonly result?: HookRun['result'] | undefined;
}

/** An attempt of a probe. */
export interface ProbeSpan extends Stretch {
  readonly probe: ProbeType;
  readonly attempt: number;
  readonly result: ProbeAttempt['result'];
  /** What it changed. */
  readonly decision: ProbeAttempt['decision'];
  /** How many of that kind in a row, and how many decide. */
  readonly count: number;
  readonly threshold: number;
  readonly output: string;
}

/** A container was asked to end: from the event Killing until it had ended. */
export interface StopSpan extends Stretch {
  readonly attempt: number;
  /** Why, as the event says. */
  readonly why: string;
  /** What it was given to end by itself. */
  readonly graceSeconds: number;
}

/** All that happened to one container. */
export interface ContainerTimeline {
  readonly name: string;
  readonly role: ContainerKind;
  readonly waits: readonly WaitSpan[];
  readonly attempts: readonly AttemptSpan[];
  readonly hooks: readonly HookSpan[];
  readonly probes: readonly ProbeSpan[];
  readonly stops: readonly StopSpan[];
}

/** An event, each time that it was told. */
export interface EventMark {
  readonly atMs: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** How often it had happened by then. */
  readonly count: number;
  /** Undefined: it is about the Pod. */
  readonly container?: string | undefined;
}

/** What kind of step it is that a Pod had to take on its way to Ready. */
export type StepKind =
  /** Until a node was found: PodScheduled. */
  | 'scheduling'
  /** Volumes and network: PodReadyToStartContainers. */
  | 'sandbox'
  /** From the moment at which a container could begin until its process ran. */
  | 'creating'
  /** Of that, the pull of its image. */
  | 'image'
  /** Waiting for a reason that is no part of an ordinary start: an image or a configuration that is not there. */
  | 'blocked'
  | 'backOff'
  /** Between two attempts, without back-off. */
  | 'restart'
  /** An init container at work, or an attempt that ended before it was ready. */
  | 'run'
  | 'postStart'
  /** initialDelaySeconds of a probe. */
  | 'initialDelay'
  /** Until the first tick of a probe, which comes every periodSeconds. */
  | 'firstTick'
  /** From the first attempt of a probe until the last one that did not succeed had ended. */
  | 'failing'
  /** From then to the attempt that succeeded: somewhere here the program was up already. */
  | 'lastPeriod'
  /** The attempt that succeeded. */
  | 'probe'
  /** Further attempts, as successThreshold asks for. */
  | 'successThreshold'
  /** Until a startup or readiness probe had succeeded, where its attempts are not on record. */
  | 'probing'
  /** A condition that somebody else has to set. */
  | 'readinessGate'
  /** Until the status said what had happened. */
  | 'reporting';

/** One step of the critical path. Each begins where the one before it ended. */
export interface PathStep extends Stretch {
  readonly kind: StepKind;
  /** Of the whole way, 0 to 1. */
  readonly share: number;
  /** Undefined: it is about the Pod. */
  readonly container?: string | undefined;
  readonly role?: ContainerKind | undefined;
  readonly attempt?: number | undefined;
  readonly probe?: ProbeType | undefined;
  /** How many attempts of the probe it took. */
  readonly probes?: number | undefined;
  readonly exitCode?: number | undefined;
  /** What status or condition gave as the reason. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** The field of the manifest that decides how long this takes, where there is one: `spec.readinessGates[0]`. */
  readonly field?: string | undefined;
}

/**
 * What had to happen one after another until the Pod was Ready for the first time. The steps cover the time from its
 * creation to `toMs` without gaps; all that is not among them went on beside them.
 */
export interface CriticalPath extends Stretch {
  /** False: it was never Ready. The path leads to what it waited for when it ended, or when it was recorded last. */
  readonly isReady: boolean;
  readonly steps: readonly PathStep[];
}

/** A run of a Pod on one axis of time: all `Ms` count from `createdAtMs`. */
export interface Timeline {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** When the Pod was created, milliseconds since 1970. */
  readonly createdAtMs: number;
  /** The last moment that is known. */
  readonly endMs: number;
  /** Has it ended, or was it removed? */
  readonly isOver: boolean;
  /** In order, without gaps. */
  readonly phases: readonly PhaseSpan[];
  /** By type in the order in which they appeared, then in order. */
  readonly conditions: readonly ConditionSpan[];
  /** Undefined: nobody asked the Pod to end. */
  readonly ending?: EndingSpan | undefined;
  /** In the order in which they start: init containers and sidecars, regular ones, ephemeral ones. */
  readonly containers: readonly ContainerTimeline[];
  /** In the order in which they were told. */
  readonly events: readonly EventMark[];
  readonly criticalPath: CriticalPath;
}
