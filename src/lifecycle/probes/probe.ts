import type { Container, Probe } from '../../api/generated/types.ts';
import type { Instant } from '../../api/time.ts';

/**
 * The probing of one container: what a probe worker knows, when it may probe, and what a row of outcomes amounts to.
 * There is one worker for each probe of each container. Source: pkg/kubelet/prober/worker.go.
 */
export type ProbeType = 'startup' | 'liveness' | 'readiness';

/** In the order in which they open the way for one another. */
export const PROBE_TYPES: readonly ProbeType[] = ['startup', 'liveness', 'readiness'];

/** What a worker must know of its container at this moment. */
export interface ProbedContainer {
  /** From the defaulted spec. */
  readonly container: Container;
  /** Of the newest instance; undefined when none was ever started. */
  readonly instanceId: string | undefined;
  /** The restartCount that this instance carries. */
  readonly restartCount: number;
  readonly running: boolean;
  readonly startedAt: Instant | undefined;
  /** Its startup probe has succeeded, or it has none. */
  readonly started: boolean;
  readonly ready: boolean;
  /** Is it started again when it ends, or now that it has ended? */
  readonly willRestart: boolean;
  /** Is it started again when a probe has it killed? */
  readonly restartsAfterKill: boolean;
}

/** What a worker must know of its Pod. */
export interface ProbedPod {
  readonly terminating: boolean;
  readonly finished: boolean;
}

export type ProbeResult = 'unknown' | 'success' | 'failure';

/** What a worker remembers from one probe to the next. */
export interface ProbeWorker {
  /** The instance that `result` is about. */
  readonly instanceId: string | undefined;
  /** What everybody takes for true of that instance: what was published, at first the initial value. */
  readonly result: ProbeResult;
  /** Nothing more to find out about this instance. */
  readonly onHold: boolean;
  readonly lastOutcome: 'success' | 'failure' | undefined;
  /** How many times in a row the outcome was `lastOutcome`. Outlives a restart of the container, as in kubelet. */
  readonly run: number;
}

export const NEW_PROBE_WORKER: ProbeWorker = {
  instanceId: undefined,
  result: 'unknown',
  onHold: false,
  lastOutcome: undefined,
  run: 0,
};

const INITIAL_RESULT: Readonly<Record<ProbeType, ProbeResult>> = {
  startup: 'unknown',
  liveness: 'success',
  readiness: 'failure',
};

export type ProbeStep =
  /** The worker has nothing to do any more. */
  | { readonly type: 'exit' }
  /** Nothing to do until the container or its Pod changes. */
  | { readonly type: 'wait' }
  /** Probe, at the first tick at or after this time on the stopwatch. */
  | { readonly type: 'probe'; readonly notBeforeMs: number };

export interface ProbeTurn {
  readonly worker: ProbeWorker;
  /** A result that everybody should learn now. */
  readonly publish: boolean | undefined;
}

const EXIT: ProbeStep = { type: 'exit' };
const WAIT: ProbeStep = { type: 'wait' };

/**
 * What a worker does next, given what is known of its container and Pod. Asking twice changes nothing.
 * Source: worker.go doProbe, up to the call of the probe.
 */
export function nextProbeStep(
  before: ProbeWorker,
  type: ProbeType,
  pod: ProbedPod,
  seen: ProbedContainer,
): ProbeTurn & { readonly step: ProbeStep } {
  if (pod.finished) return { worker: before, step: EXIT, publish: undefined };
  if (seen.instanceId === undefined) return { worker: before, step: WAIT, publish: undefined };
  const worker = attend(before, type, seen);
  if (worker.onHold) return { worker, step: WAIT, publish: undefined };
  // kubelet records a failure for an instance that has ended. Nobody asks about such an instance: nothing is published.
  if (!seen.running) return { worker, step: seen.willRestart ? WAIT : EXIT, publish: undefined };
  if (pod.terminating && type !== 'readiness') return { ...settle(worker, 'success'), step: EXIT };
  const gateOpen = type === 'startup' ? !seen.started : seen.started;
  if (!gateOpen) return { worker, step: WAIT, publish: undefined };
  return { worker, step: { type: 'probe', notBeforeMs: notBeforeMs(type, seen) }, publish: undefined };
}

/**
 * Counts one outcome. It is published when it has come often enough in a row and says something new. `run` is how often
 * it has come in a row, also when the worker begins to count anew.
 * Source: worker.go doProbe, after the call of the probe.
 */
export function countOutcome(
  before: ProbeWorker,
  type: ProbeType,
  probe: Probe,
  success: boolean,
): ProbeTurn & { readonly run: number } {
  const outcome = success ? 'success' : 'failure';
  const run = before.lastOutcome === outcome ? before.run + 1 : 1;
  const counted: ProbeWorker = { ...before, lastOutcome: outcome, run };
  const { successThreshold, failureThreshold } = probeNumbers(probe);
  if (run < (success ? successThreshold : failureThreshold)) return { worker: counted, publish: undefined, run };
  // The container has started for good, or is about to be killed: the next instance is the next thing to probe.
  const decided = type === 'startup' || (type === 'liveness' && !success);
  return { ...settle(decided ? { ...counted, onHold: true, run: 0 } : counted, outcome), run };
}

/**
 * Does the status wait for the readiness probe of a container that runs and has started? At the moment when this
 * becomes true the probe is run at once instead of at its next tick.
 * Source: prober_manager.go UpdatePodStatus (the manual trigger).
 */
export function awaitsReadiness(type: ProbeType, seen: ProbedContainer): boolean {
  return type === 'readiness' && seen.running && seen.started && !seen.ready;
}

/** The first tick after `afterMs` that is not before `notBeforeMs`. Ticks come every `periodMs` from `originMs` on. */
export function tickMs(ticks: { originMs: number; periodMs: number }, afterMs: number, notBeforeMs: number): number {
  const { originMs, periodMs } = ticks;
  const nextAfter = Math.floor((afterMs - originMs) / periodMs) + 1;
  const nextFrom = Math.ceil((notBeforeMs - originMs) / periodMs);
  return originMs + Math.max(nextAfter, nextFrom) * periodMs;
}

/** The probe of this type, if the container has one. */
export function probeOf(container: Container, type: ProbeType): Probe | undefined {
  switch (type) {
    case 'startup':
      return container.startupProbe;
    case 'liveness':
      return container.livenessProbe;
    case 'readiness':
      return container.readinessProbe;
    default:
      return type satisfies never;
  }
}

export interface ProbeNumbers {
  readonly initialDelaySeconds: number;
  readonly timeoutSeconds: number;
  readonly periodSeconds: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** The numbers of a probe; those left out have the API's defaults. Source: pkg/apis/core/v1/defaults.go. */
export function probeNumbers(probe: Probe): ProbeNumbers {
  return {
    initialDelaySeconds: probe.initialDelaySeconds ?? 0,
    timeoutSeconds: probe.timeoutSeconds ?? 1,
    periodSeconds: probe.periodSeconds ?? 10,
    successThreshold: probe.successThreshold ?? 1,
    failureThreshold: probe.failureThreshold ?? 3,
  };
}

/**
 * A new instance starts with the initial value; the run of outcomes goes on. One that was ready already when this agent
 * began to look at it stays so until a probe finds otherwise.
 */
function attend(worker: ProbeWorker, type: ProbeType, { instanceId, ready }: ProbedContainer): ProbeWorker {
  if (worker.instanceId === instanceId) return worker;
  const result = type === 'readiness' && ready ? 'success' : INITIAL_RESULT[type];
  return { ...worker, instanceId, result, onHold: false };
}

function settle(worker: ProbeWorker, result: 'success' | 'failure'): ProbeTurn {
  if (worker.result === result) return { worker, publish: undefined };
  return { worker: { ...worker, result }, publish: result === 'success' };
}

/**
 * initialDelaySeconds after the start, to the nearest whole second. kubelet counts from a start time that is cut to
 * whole seconds, so its delays end up to a second early. Half a second of it is kept: the ticks of a worker begin a few
 * milliseconds before its first container, and a delay of ten periods must not miss the tenth tick.
 */
function notBeforeMs(type: ProbeType, seen: ProbedContainer): number {
  const probe = probeOf(seen.container, type);
  if (probe === undefined || seen.startedAt === undefined) return Number.NEGATIVE_INFINITY;
  const delayMs = probeNumbers(probe).initialDelaySeconds * 1000;
  return delayMs === 0 ? Number.NEGATIVE_INFINITY : seen.startedAt.monotonicMs + delayMs - 500;
}
