import type { StoredPod } from '../api/index.ts';
import { type PodFacts, processOf, type StopStage, terminationOf } from './base/facts.ts';
import type { ProbeType } from './probes/probe.ts';

/**
 * The next planned steps of a Pod and their times, which its status does not show. A snapshot as plain data. Times are
 * milliseconds of the stopwatch.
 */
export interface PodActivity {
  /** The end of activeDeadlineSeconds. Undefined: the Pod has no deadline or is already terminating. */
  readonly deadlineMs: number | undefined;
  /** True while the Pod is terminating. */
  readonly isEnding: boolean;
  readonly containers: Readonly<Record<string, ContainerActivity>>;
  readonly probes: readonly PlannedProbe[];
}

export interface ContainerActivity {
  /** The stop that is under way. `untilMs` is the end of the grace period. */
  readonly stop: { readonly stage: StopStage; readonly untilMs: number } | undefined;
  /** True while the postStart hook runs. */
  readonly isInPostStart: boolean;
  /** The end of the back-off after a crash or a failed image pull. */
  readonly retryAtMs: number | undefined;
}

/** A probe that still runs periodically. */
export interface PlannedProbe {
  readonly container: string;
  readonly type: ProbeType;
  /** The time of the next attempt. Undefined: an attempt is running. */
  readonly dueMs: number | undefined;
  /** The outcome of the latest attempt. `run` counts the attempts in a row with this outcome. */
  readonly lastOutcome: 'success' | 'failure' | undefined;
  readonly run: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** Computes the next planned steps of a Pod from its facts. */
export function podActivity({ spec }: StoredPod, facts: PodFacts, probes: readonly PlannedProbe[]): PodActivity {
  const { startTime } = facts;
  const termination = terminationOf(facts);
  const seconds = spec.activeDeadlineSeconds;
  const hasDeadline = seconds !== undefined && startTime !== undefined && termination === undefined;
  const containers: Record<string, ContainerActivity> = {};
  for (const [name, own] of Object.entries(facts.containers)) {
    const stop = processOf(own)?.stop;
    containers[name] = {
      stop: stop && { stage: stop.stage, untilMs: stop.stageSinceMs + stop.graceLeftMs },
      isInPostStart: own.starting?.stage === 'postStart',
      retryAtMs: own.startError?.retryAtMs,
    };
  }
  return {
    deadlineMs: hasDeadline ? startTime.monotonicMs + seconds * 1000 : undefined,
    isEnding: termination !== undefined,
    containers,
    probes,
  };
}

/** One line of a Pod's hook journal: one run of a postStart or preStop hook. */
export interface HookRun {
  /** The beginning of the run, RFC 3339 with microseconds. */
  readonly time: string;
  readonly container: string;
  readonly restartCount: number;
  readonly hook: 'postStart' | 'preStop';
  /** The handler as `kubectl describe` shows it: `exec [sh -c drain]`. */
  readonly handler: string;
  /** The time until the hook returned, or was aborted at the end of its container. */
  readonly durationMs: number;
  readonly result: 'success' | 'failure';
  /** The beginning of the error, in the kubelet's words. Only after a failure. */
  readonly message?: string;
  /** The exit code of a command that failed. */
  readonly exitCode?: number;
  /** The end of the command's output, or the reason why the hook could not run. Only after a failure. */
  readonly output?: string;
}
