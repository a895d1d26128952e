import type { Probe } from '../../api/generated/types.ts';
import { formatTime, type Instant } from '../../api/time.ts';
import { describeHandler } from './describe-handler.ts';
import { type ProbedContainer, probeNumbers, type ProbeType, type ProbeWorker } from './probe.ts';
import type { ProbeAnswer, ProbeOutcome } from './probe-outcome.ts';

/** What an attempt of a probe changed. */
export type ProbeDecision =
  /** It was counted; nothing changed. */
  | 'none'
  /** The startup probe has succeeded. */
  | 'started'
  | 'ready'
  | 'notReady'
  /** The container is killed, and started again. */
  | 'restart'
  /** The container is killed, and stays so. */
  | 'kill'
  /** It could not be carried out, and is tried again at once. */
  | 'retry'
  /** It could not be carried out: no result, so nothing is counted. */
  | 'notCounted'
  /** The container or its Pod ended before the attempt did: nobody wants to know any more. */
  | 'abandoned';

/** One line of a Pod's probe journal: a probe was run once. */
export interface ProbeAttempt extends ProbeAnswer {
  /** When it began, RFC 3339 with microseconds. */
  readonly time: string;
  /** When it began, seconds after the start of the container. */
  readonly offsetSeconds: number;
  readonly container: string;
  readonly restartCount: number;
  readonly probe: ProbeType;
  /** As `kubectl describe` has it: `http-get http://:8080/health`. */
  readonly handler: string;
  readonly durationMs: number;
  /** timeout: a failure, because time was up. error: the probe could not be carried out. */
  readonly result: ProbeOutcome['result'] | 'timeout';
  /** The beginning of what events and counters are about, in kubelet's words or those of the container. */
  readonly output: string;
  /** There was more output. */
  readonly truncated?: boolean;
  /** Counted in a row, with this attempt. */
  readonly successes: number;
  readonly failures: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
  readonly decision: ProbeDecision;
}

/** Characters of output in a journal line. */
const OUTPUT_MAX = 1024;

/** A probe was run once. */
export interface FinishedProbe {
  readonly type: ProbeType;
  readonly probe: Probe;
  /** The container as it was when the probe began. */
  readonly seen: ProbedContainer;
  readonly began: Instant;
  readonly durationMs: number;
  readonly outcome: ProbeOutcome;
}

/** What came of it: the count, and what that changed. */
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

/** What it means that a result is published, see countOutcome. */
export function probeDecision(type: ProbeType, publish: boolean | undefined, seen: ProbedContainer): ProbeDecision {
  if (publish === undefined) return 'none';
  if (type === 'readiness') return publish ? 'ready' : 'notReady';
  if (!publish) return seen.restartsAfterKill ? 'restart' : 'kill';
  return type === 'startup' ? 'started' : 'none';
}

/** To the thousandth. */
function rounded(number: number): number {
  return Math.round(number * 1000) / 1000;
}
