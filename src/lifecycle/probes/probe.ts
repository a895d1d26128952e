import type { Container, Instant, Probe } from '../../api/index.ts';

/**
 * The probing of one container: the memory of a probe worker, the time of its next attempt, and the effect of a row of
 * outcomes. Each probe of each container has one worker. Source: pkg/kubelet/prober/worker.go.
 */
export type ProbeType = 'startup' | 'liveness' | 'readiness';

/** The probe types in the order in which they allow each other to run. */
export const PROBE_TYPES: readonly ProbeType[] = ['startup', 'liveness', 'readiness'];

/** The container as its probe workers need to know it. */
export interface ProbedContainer {
  /** The container from the defaulted spec. */
  readonly container: Container;
  /** The newest instance. Undefined: the container has never been started. */
  readonly instanceId: string | undefined;
  /** The restartCount of this instance. */
  readonly restartCount: number;
  readonly running: boolean;
  readonly startedAt: Instant | undefined;
  /** True when the startup probe has succeeded, or there is none. */
  readonly started: boolean;
  readonly ready: boolean;
  /** True when the container starts again after the end of this instance. */
  readonly willRestart: boolean;
  /** True when the container starts again after a probe has killed it. */
  readonly restartsAfterKill: boolean;
}

/** The Pod as its probe workers need to know it. */
export interface ProbedPod {
  readonly stage: 'running' | 'terminating' | 'finished';
}

export type ProbeResult = 'unknown' | 'success' | 'failure';

/** The memory of a worker from one attempt to the next. */
export interface ProbeWorker {
  /** The instance to which `result` belongs. */
  readonly instanceId: string | undefined;
  /** The published result of this instance, at first the initial value. */
  readonly result: ProbeResult;
  /** True when the result of this instance cannot change any more. */
  readonly onHold: boolean;
  readonly lastOutcome: 'success' | 'failure' | undefined;
  /**
   * The number of outcomes in a row that were `lastOutcome`. Continues over a restart of the container, as in the
   * kubelet.
   */
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
  /** The worker is done. */
  | { readonly type: 'exit' }
  /** Nothing to do until the container or its Pod changes. */
  | { readonly type: 'wait' }
  /** Run the probe at the first tick at or after this time on the stopwatch. */
  | { readonly type: 'probe'; readonly notBeforeMs: number };

export interface ProbeTurn {
  readonly worker: ProbeWorker;
  /** The result to publish now, if any. */
  readonly publish: boolean | undefined;
}

const EXIT: ProbeStep = { type: 'exit' };
const WAIT: ProbeStep = { type: 'wait' };

/**
 * Plans the next step of a worker from the state of its container and Pod. A second call changes nothing. Source:
 * worker.go doProbe, up to the call of the probe.
 */
export function nextProbeStep(
  before: ProbeWorker,
  type: ProbeType,
  pod: ProbedPod,
  seen: ProbedContainer,
): ProbeTurn & { readonly step: ProbeStep } {
  if (pod.stage === 'finished') return { worker: before, step: EXIT, publish: undefined };
  if (seen.instanceId === undefined) return { worker: before, step: WAIT, publish: undefined };
  const worker = switchInstance(before, type, seen);
  if (worker.onHold) return { worker, step: WAIT, publish: undefined };
  // kubelet records a failure for an ended instance. podrun publishes none: no reader looks at a result of such an
  // instance.
  if (!seen.running) return { worker, step: seen.willRestart ? WAIT : EXIT, publish: undefined };
  if (pod.stage === 'terminating' && type !== 'readiness') return { ...publishResult(worker, 'success'), step: EXIT };
  const gateOpen = type === 'startup' ? !seen.started : seen.started;
  if (!gateOpen) return { worker, step: WAIT, publish: undefined };
  return { worker, step: { type: 'probe', notBeforeMs: notBeforeMs(type, seen) }, publish: undefined };
}

/**
 * Counts one outcome. Publishes a new result when enough equal outcomes came in a row. `run` is the number of outcomes
 * in a row before the worker begins to count anew. Source: worker.go doProbe, after the call of the probe.
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
  // The container has started, or is about to be killed: probe the next instance only.
  const decided = type === 'startup' || (type === 'liveness' && !success);
  return { ...publishResult(decided ? { ...counted, onHold: true, run: 0 } : counted, outcome), run };
}

/**
 * True when the status waits for the readiness probe of a container that has started. When this becomes true, the probe
 * runs at once instead of at its next tick. Source: prober_manager.go UpdatePodStatus (the manual trigger).
 */
export function awaitsReadiness(type: ProbeType, seen: ProbedContainer): boolean {
  return type === 'readiness' && seen.running && seen.started && !seen.ready;
}

/** The first tick after `afterMs` and not before `notBeforeMs`. Ticks come every `periodMs` from `originMs` on. */
export function tickMs(ticks: { originMs: number; periodMs: number }, afterMs: number, notBeforeMs: number): number {
  const { originMs, periodMs } = ticks;
  const nextAfter = Math.floor((afterMs - originMs) / periodMs) + 1;
  const nextFrom = Math.ceil((notBeforeMs - originMs) / periodMs);
  return originMs + Math.max(nextAfter, nextFrom) * periodMs;
}

export function probeOf(container: Container, type: ProbeType): Probe | undefined {
  return container[`${type}Probe`];
}

export interface ProbeNumbers {
  readonly initialDelaySeconds: number;
  readonly timeoutSeconds: number;
  readonly periodSeconds: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** The numbers of a probe with the API's defaults. Source: pkg/apis/core/v1/defaults.go. */
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
 * Switches to a new instance with the initial result. The row of outcomes continues. An instance that is already ready
 * when the agent first sees it stays ready until a probe fails.
 */
function switchInstance(worker: ProbeWorker, type: ProbeType, { instanceId, ready }: ProbedContainer): ProbeWorker {
  if (worker.instanceId === instanceId) return worker;
  const result = type === 'readiness' && ready ? 'success' : INITIAL_RESULT[type];
  return { ...worker, instanceId, result, onHold: false };
}

function publishResult(worker: ProbeWorker, result: 'success' | 'failure'): ProbeTurn {
  if (worker.result === result) return { worker, publish: undefined };
  return { worker: { ...worker, result }, publish: result === 'success' };
}

/**
 * The earliest time of the first attempt: initialDelaySeconds after the start. kubelet cuts the start time to whole
 * seconds, so its delays end up to a second early. podrun ends them half a second early: the ticks of a worker begin a
 * few milliseconds before its first container, and a delay of ten periods must not miss the tenth tick.
 */
function notBeforeMs(type: ProbeType, seen: ProbedContainer): number {
  const probe = probeOf(seen.container, type);
  if (probe === undefined || seen.startedAt === undefined) return Number.NEGATIVE_INFINITY;
  const delayMs = probeNumbers(probe).initialDelaySeconds * 1000;
  return delayMs === 0 ? Number.NEGATIVE_INFINITY : seen.startedAt.monotonicMs + delayMs - 500;
}
