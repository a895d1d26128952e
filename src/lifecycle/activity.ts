import type { StoredPod } from '../api/objects.ts';
import type { PodFacts, StopStage } from './facts.ts';
import { processOf } from './facts.ts';
import type { ProbeType } from './probes/probe.ts';

/**
 * What the agent of a Pod is about to do, and when: what the status does not say. Plain data, as of the moment when it
 * was asked for; times are milliseconds of the stopwatch.
 */
export interface PodActivity {
  /** When activeDeadlineSeconds have passed; undefined: it has none, or is going down already. */
  readonly deadlineMs: number | undefined;
  /** The Pod is going down. */
  readonly isEnding: boolean;
  readonly containers: Readonly<Record<string, ContainerActivity>>;
  readonly probes: readonly PlannedProbe[];
}

export interface ContainerActivity {
  /** Its process is being asked to stop. `untilMs`: when the grace period is over. */
  readonly stop: { readonly stage: StopStage; readonly untilMs: number } | undefined;
  /** It is running its postStart hook. */
  readonly isInPostStart: boolean;
  /** When its back-off is over, of a crash loop or of an image. */
  readonly retryAtMs: number | undefined;
}

/** A probe that goes on. */
export interface PlannedProbe {
  readonly container: string;
  readonly type: ProbeType;
  /** When it is run next; undefined: it is being run. */
  readonly dueMs: number | undefined;
  /** What came of the latest attempts, and how many in a row said so. */
  readonly lastOutcome: 'success' | 'failure' | undefined;
  readonly run: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** What is about to happen to a Pod, from what is known of it. */
export function podActivity({ spec }: StoredPod, facts: PodFacts, probes: readonly PlannedProbe[]): PodActivity {
  const { startTime, termination } = facts;
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
