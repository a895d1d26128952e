import {
  type Container,
  DEFAULT_STOP_SIGNAL,
  type Instant,
  isSidecar,
  type Probe,
  type StoredPod,
} from '../../api/index.ts';
import { containerFacts, isAlive, type PodFacts, type Stop, type StopPurpose } from '../base/facts.ts';
import { killing } from '../texts/events.ts';
import type { Draft } from './draft.ts';

/** Least time between the stop signal and the kill. Source: kuberuntime_container.go minimumGracePeriodInSeconds. */
const LEAST_STOP_MS = 2000;

/** The next step of a stop. `wakeAtMs` is the time of the next sync if nothing happens before. */
interface StopStep {
  readonly stop: Stop;
  readonly act: 'runPreStop' | 'signal' | 'kill' | undefined;
  readonly wakeAtMs: number | undefined;
}

interface StopRequest {
  readonly graceMs: number;
  readonly hasPreStop: boolean;
  readonly purpose: StopPurpose;
  /** See Stop. */
  readonly leastMs?: number;
}

export function requestStop(request: StopRequest, now: Instant): Stop {
  return {
    requestedAt: now,
    purpose: request.purpose,
    stage: request.hasPreStop && request.graceMs > 0 ? 'preStopDue' : 'turn',
    stageSinceMs: now.monotonicMs,
    graceLeftMs: request.graceMs,
    ...(request.leastMs === undefined ? {} : { leastMs: request.leastMs }),
  };
}

/**
 * Moves a stop on: preStop hook, wait for its turn, stop signal, kill. The hook and the wait use up the grace period in
 * whole seconds. The rest, but at least two seconds, passes between the signal and the kill. Source:
 * kuberuntime_container.go killContainer, kuberuntime_termination_order.go.
 */
export function advanceStop(stop: Stop, mayBeSignalled: boolean, nowMs: number): StopStep {
  const endsAtMs = stop.stageSinceMs + stop.graceLeftMs;
  switch (stop.stage) {
    case 'preStopDue': {
      const running: Stop = { ...stop, stage: 'preStop', stageSinceMs: nowMs };
      return { stop: running, act: 'runPreStop', wakeAtMs: nowMs + stop.graceLeftMs };
    }
    case 'preStop':
      if (nowMs < endsAtMs) return { stop, act: undefined, wakeAtMs: endsAtMs };
      return advanceStop(nextStage(stop, 'turn', nowMs), mayBeSignalled, nowMs);
    case 'turn': {
      if (!mayBeSignalled && nowMs < endsAtMs) return { stop, act: undefined, wakeAtMs: endsAtMs };
      const next = nextStage(stop, 'signalled', nowMs);
      const signalled = { ...next, graceLeftMs: Math.max(stop.leastMs ?? LEAST_STOP_MS, next.graceLeftMs) };
      return { stop: signalled, act: 'signal', wakeAtMs: nowMs + signalled.graceLeftMs };
    }
    case 'signalled':
      if (nowMs < endsAtMs) return { stop, act: undefined, wakeAtMs: endsAtMs };
      return { stop: { ...stop, stage: 'killed', stageSinceMs: nowMs }, act: 'kill', wakeAtMs: undefined };
    case 'killed':
      return { stop, act: undefined, wakeAtMs: undefined };
    default:
      return stop.stage satisfies never;
  }
}

/** Kills the container at once, whatever the stage of its stop. */
export function forceStop(stop: Stop, nowMs: number): StopStep {
  if (stop.stage === 'killed') return { stop, act: undefined, wakeAtMs: undefined };
  return { stop: { ...stop, stage: 'killed', stageSinceMs: nowMs }, act: 'kill', wakeAtMs: undefined };
}

/** Ends the preStop stage of a stop. A stop in a later stage does not change. */
export function preStopReturned(stop: Stop, nowMs: number): Stop {
  return stop.stage === 'preStop' ? nextStage(stop, 'turn', nowMs) : stop;
}

/**
 * Shortens the grace period of a stop that is under way. (A 1.36 kubelet keeps the first period. podrun does what the
 * API promises.)
 */
export function shortenStop(stop: Stop, graceMs: number, nowMs: number): Stop {
  if (stop.stage === 'killed') return stop;
  const passedMs = nowMs - stop.stageSinceMs;
  const least = stop.stage === 'signalled' ? LEAST_STOP_MS : 0;
  const leftMs = Math.max(least, graceMs);
  if (stop.graceLeftMs - passedMs <= leftMs) return stop;
  return { ...stop, graceLeftMs: passedMs + leftMs };
}

function nextStage(stop: Stop, stage: 'turn' | 'signalled', nowMs: number): Stop {
  const spentMs = Math.floor((nowMs - stop.stageSinceMs) / 1000) * 1000;
  return { ...stop, stage, stageSinceMs: nowMs, graceLeftMs: Math.max(0, stop.graceLeftMs - spentMs) };
}

/**
 * True when a container of a terminating Pod may get its stop signal. Regular containers and plain init containers get
 * it at once, a sidecar when every regular container and every later sidecar has ended.
 */
export function isTurnToStop(pod: StoredPod, facts: PodFacts, name: string): boolean {
  const init = pod.spec.initContainers ?? [];
  const index = init.findIndex((container) => container.name === name);
  const own = init[index];
  if (own === undefined || !isSidecar(own)) return true;
  const before = [...pod.spec.containers, ...init.slice(index + 1).filter(isSidecar)];
  return before.every((container) => !isAlive(containerFacts(facts, container.name)));
}

/**
 * The grace period of a terminating Pod, in seconds. Never below 1. Source: pod_workers.go
 * calculateEffectiveGracePeriod.
 */
export function podGraceSeconds(pod: StoredPod, override: number | undefined): number {
  return Math.max(
    1,
    override ?? pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? 30,
  );
}

/**
 * The grace period of a single container that is stopped while its Pod keeps running, in milliseconds. Source:
 * kuberuntime_container.go setTerminationGracePeriod.
 */
export function containerGraceMs(pod: StoredPod, failedProbe: Probe | undefined): number {
  const seconds =
    pod.metadata.deletionGracePeriodSeconds ??
    failedProbe?.terminationGracePeriodSeconds ??
    pod.spec.terminationGracePeriodSeconds ??
    2;
  return seconds * 1000;
}

/** The signal that stops the container: its own, the signal of its image, or the default. */
export function stopSignal(container: Container, ofImage: string | undefined): string {
  return container.lifecycle?.stopSignal ?? ofImage ?? DEFAULT_STOP_SIGNAL;
}

/** True when the container has a preStop hook. */
export function hasPreStop(container: Container): boolean {
  return container.lifecycle?.preStop !== undefined;
}

/** Stops a container in order to restart it. Does nothing when the container is already being stopped. */
export function killContainer(draft: Draft, container: Container, why: string, failedProbe?: Probe): void {
  stopContainer(draft, container, { why, failedProbe, restart: true });
}

export interface KillRequest {
  /** One of texts/killing.ts. */
  readonly why: string;
  /** The failed probe that is the reason. It may have its own grace period. */
  readonly failedProbe: Probe | undefined;
  readonly restart: boolean;
}

/** Stops one container of a Pod that keeps running. Source: kuberuntime_container.go killContainer. */
export function stopContainer(draft: Draft, container: Container, request: KillRequest): void {
  if (draft.own(container).current?.stop !== undefined) return;
  draft.event(killing(container.name, request.why));
  const stop = requestStop(
    {
      graceMs: containerGraceMs(draft.pod, request.failedProbe),
      hasPreStop: hasPreStop(container),
      purpose: request.restart ? 'restart' : 'end',
    },
    draft.now,
  );
  draft.setStop(container.name, stop);
}
