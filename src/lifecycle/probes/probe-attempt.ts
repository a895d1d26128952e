import { formatTime, type Instant, type Probe } from '../../api/index.ts';
import { describeHandler } from './describe-handler.ts';
import { type ProbedContainer, probeNumbers, type ProbeType, type ProbeWorker } from './probe.ts';
import type { ProbeAnswer, ProbeOutcome } from './probe-outcome.ts';

/** The consequence of one attempt of a probe. */
export type ProbeDecision =
  /** The attempt was counted. Nothing changed. */
  | 'none'
  /** The startup probe has succeeded. */
  | 'started'
  | 'ready'
  | 'notReady'
  /** The container is killed and starts again. */
  | 'restart'
  /** The container is killed and does not start again. */
  | 'kill'
  /** The attempt could not be carried out. The next attempt follows at once. */
  | 'retry'
  /** The attempt could not be carried out. It has no result and is not counted. */
  | 'notCounted'
  /** The container or its Pod ended before the attempt. The result is ignored. */
  | 'abandoned';

/** One line of a Pod's probe journal: one attempt of a probe. */
export interface ProbeAttempt extends ProbeAnswer {
  /** The beginning of the attempt, RFC 3339 with microseconds. */
  readonly time: string;
  /** The beginning of the attempt, in seconds after the start of the container. */
  readonly offsetSeconds: number;
  readonly container: string;
  readonly restartCount: number;
  readonly probe: ProbeType;
  /** The handler as `kubectl describe` shows it: `http-get http://:8080/health`. */
  readonly handler: string;
  readonly durationMs: number;
  /** timeout: a failure because the attempt took too long. error: the attempt could not be carried out. */
  readonly result: ProbeOutcome['result'] | 'timeout';
  /** The beginning of the output of the container, or of the kubelet's error. */
  readonly output: string;
  /** True when the output was longer. */
  readonly truncated?: boolean;
  /** The successes in a row, including this attempt. `failures` counts failures in the same way. */
  readonly successes: number;
  readonly failures: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
  readonly decision: ProbeDecision;
}

/** True when podrun killed the container because of this attempt. */
export function causedKill({ decision }: Pick<ProbeAttempt, 'decision'>): boolean {
  return decision === 'restart' || decision === 'kill';
}

/** Characters of output in a journal line. */
const OUTPUT_MAX = 1024;

/** One finished attempt of a probe. */
export interface FinishedProbe {
  readonly type: ProbeType;
  readonly probe: Probe;
  /** The container at the beginning of the attempt. */
  readonly seen: ProbedContainer;
  readonly began: Instant;
  readonly durationMs: number;
  readonly outcome: ProbeOutcome;
}

/** The count of outcomes after an attempt, and its consequence. */
export interface ProbeVerdict {
  readonly lastOutcome: ProbeWorker['lastOutcome'];
  readonly run: number;
  readonly decision: ProbeDecision;
}

/** The journal line of an attempt. */
export function probeAttempt(finished: FinishedProbe, { lastOutcome, run, decision }: ProbeVerdict): ProbeAttempt {
  const { type, probe, seen, began, durationMs, outcome } = finished;
  const { answer = {}, output } = outcome;
  const { successThreshold, failureThreshold } = probeNumbers(probe);
  return {
    time: formatTime(began.wallMs),
    offsetSeconds: rounded((began.monotonicMs - (seen.startedAt ?? began).monotonicMs) / 1000),
    container: seen.container.name,
    restartCount: seen.restartCount,
    probe: type,
    handler: describeHandler(probe),
    durationMs: rounded(durationMs),
    result: outcome.result === 'failure' && outcome.timedOut === true ? 'timeout' : outcome.result,
    ...answer,
    output: output.slice(0, OUTPUT_MAX),
    ...(output.length > OUTPUT_MAX ? { truncated: true } : {}),
    successes: lastOutcome === 'success' ? run : 0,
    failures: lastOutcome === 'failure' ? run : 0,
    successThreshold,
    failureThreshold,
    decision,
  };
}

/** The decision that a published result of each probe means. killed: the container starts again, or does not. */
const DECISIONS: Readonly<Record<ProbeType, Readonly<Record<'success' | 'failure', ProbeDecision | 'killed'>>>> = {
  startup: { success: 'started', failure: 'killed' },
  liveness: { success: 'none', failure: 'killed' },
  readiness: { success: 'ready', failure: 'notReady' },
};

/** The consequence of a published result, see countOutcome. */
export function probeDecision(type: ProbeType, publish: boolean | undefined, seen: ProbedContainer): ProbeDecision {
  if (publish === undefined) return 'none';
  const decision = DECISIONS[type][publish ? 'success' : 'failure'];
  return decision === 'killed' ? (seen.restartsAfterKill ? 'restart' : 'kill') : decision;
}

/** Rounds to thousandths. */
function rounded(number: number): number {
  return Math.round(number * 1000) / 1000;
}
