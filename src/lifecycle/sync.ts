import type { Container } from '../api/generated/types.ts';
import { isTerminalPhase, sidecarsOf, type StoredPod } from '../api/objects.ts';
import type { Instant } from '../api/time.ts';
import { Draft, type SyncConfig } from './plan/draft.ts';
import type { Step } from './effects.ts';
import { isAlive, isGone, isHookUnderWay, type PodFacts, processOf, type Starting, type Stop } from './facts.ts';
import { startEphemeralContainers } from './plan/ephemeral-plan.ts';
import { planInitContainers } from './plan/init-plan.ts';
import { stopContainer } from './plan/kill-container.ts';
import { EVICTION_GRACE_SECONDS, evictionMessage } from './volumes/local-storage.ts';
import { computedPhase, containerStatuses } from './pod-status.ts';
import { planRegularContainers } from './plan/regular-plan.ts';
import { planResize } from './plan/resize-plan.ts';
import { planRestartAll } from './plan/restart-all.ts';
import { startContainer } from './plan/start-container.ts';
import {
  advanceStop,
  forceStop,
  hasPreStop,
  isTurnToStop,
  podGraceSeconds,
  requestStop,
  shortenStop,
} from './plan/stop.ts';
import { deadlineExceeded, evicted, failedPostStartHook, killing } from './texts/events.ts';
import { HOOK_FAILED, stopping } from './texts/killing.ts';

export interface SyncResult extends Step {
  /** The stopwatch time of the next sync if nothing happens before. */
  readonly wakeAtMs: number | undefined;
}

/**
 * Plans the next steps of one Pod from its object, its facts and the time. Level-triggered: a second call without a new
 * observation asks for nothing, since the returned facts remember each effect. Source: pkg/kubelet/kubelet.go SyncPod,
 * SyncTerminatingPod; kuberuntime_manager.go computePodActions.
 */
export function sync(pod: StoredPod, facts: PodFacts, config: SyncConfig, now: Instant): SyncResult {
  const draft = new Draft(pod, facts, config, now);
  if (facts.sandbox === 'stopped') finish(draft);
  else if (!facts.finished) {
    if (facts.startTime === undefined) draft.facts = { ...facts, startTime: now };
    checkLimits(draft);
    checkCompletion(draft);
    if (draft.facts.requested !== undefined) endSync(draft);
    else if (draft.facts.termination === undefined) planRunning(draft);
    // planRunning may just have completed the Pod.
    if (draft.facts.termination !== undefined) planTermination(draft);
    advanceStops(draft);
  }
  return { facts: draft.facts, effects: draft.effects, wakeAtMs: draft.wakeAtMs };
}

/**
 * Finishes the Pod: its terminal phase is published, and the final states of containers whose end nobody saw follow.
 */
function finish(draft: Draft): void {
  if (draft.facts.finished) return;
  draft.facts = { ...draft.facts, finished: true };
  draft.effects.push({ type: 'finish' });
}

/**
 * Checks the deadline and the storage limits. Waits for a postStart hook, as the kubelet's sync that runs the hook
 * does.
 */
function checkLimits(draft: Draft): void {
  if (isHookUnderWay(draft.facts)) return;
  checkDeadline(draft);
  checkStorage(draft);
}

/**
 * Begins a termination that was requested during a postStart hook, when the sync that runs the hook is over. This sync
 * starts the regular containers one after the other, so the containers after the hook start, too. An end of the run
 * that podrun itself requests waits no longer than its grace period, since nobody may be there to force it. Source:
 * pkg/kubelet/pod_workers.go, where a worker does one thing at a time; kuberuntime_manager.go SyncPod.
 */
function endSync(draft: Draft): void {
  const { requested, termination } = draft.facts;
  if (requested === undefined) return;
  const { containers } = draft.pod.spec;
  const isNew = (container: Container): boolean => draft.own(container).current === undefined;
  if (termination === undefined && !containers.every(isNew)) {
    for (const container of containers.filter(isNew)) startContainer(draft, container);
  }
  if (termination === undefined && draft.isStarting) {
    if (requested.cause !== 'ended') return;
    const untilMs = requested.since.monotonicMs + requested.graceSeconds * 1000;
    if (draft.now.monotonicMs < untilMs) return draft.wake(untilMs);
  }
  const stopping = termination && {
    ...termination,
    graceSeconds: Math.min(termination.graceSeconds, requested.graceSeconds),
  };
  draft.facts = { ...draft.facts, requested: undefined, termination: stopping ?? requested };
}

/** Source: pkg/kubelet/active_deadline.go. */
function checkDeadline(draft: Draft): void {
  const seconds = draft.pod.spec.activeDeadlineSeconds;
  const { startTime, termination, requested } = draft.facts;
  // A deadline that passes while a deleted Pod stops still sets the cause. One that passes while podrun ends its own
  // run does not.
  const ending = termination ?? requested;
  const isOver = ending !== undefined && ending.cause !== 'deleted';
  if (seconds === undefined || startTime === undefined || isOver) return;
  const deadlineMs = startTime.monotonicMs + seconds * 1000;
  if (draft.now.monotonicMs < deadlineMs) return draft.wake(deadlineMs);
  draft.event(deadlineExceeded());
  if (termination === undefined) draft.terminate('deadlineExceeded', podGraceSeconds(draft.pod, undefined));
  else draft.facts = { ...draft.facts, termination: { ...termination, cause: 'deadlineExceeded' } };
}

/** Source: pkg/kubelet/eviction/eviction_manager.go localStorageEviction, evictPod. */
function checkStorage(draft: Draft): void {
  const { storage, termination } = draft.facts;
  if (storage === undefined || termination !== undefined) return;
  const message = evictionMessage(draft.pod.spec, storage);
  if (message === undefined) return;
  draft.event(evicted(message));
  draft.terminate('evicted', EVICTION_GRACE_SECONDS, message);
}

/** Terminates a Pod whose phase has become terminal: only sidecars and the sandbox are left. */
function checkCompletion(draft: Draft): void {
  if (draft.facts.termination !== undefined || draft.facts.restartingAll !== undefined) return;
  const { init, regular } = containerStatuses(draft.pod, draft.facts);
  if (isTerminalPhase(computedPhase(draft.pod, draft.facts, [...init, ...regular]))) complete(draft);
}

function complete(draft: Draft): void {
  draft.terminate('completed', podGraceSeconds(draft.pod, undefined));
}

function planRunning(draft: Draft): void {
  if (draft.facts.sandbox === 'absent') {
    draft.facts = { ...draft.facts, sandbox: 'creating' };
    draft.effects.push({ type: 'createSandbox' });
  }
  if (draft.facts.sandbox !== 'ready') return;
  if (planRestartAll(draft)) return;
  planResize(draft);
  startEphemeralContainers(draft);

  const init = planInitContainers(draft);
  if (init.failed) return complete(draft);
  if (!init.initialized) return init.start.forEach((container) => startContainer(draft, container));

  const regular = planRegularContainers(draft);
  if (!regular.alive) return complete(draft);
  for (const { container, request } of regular.kill) stopContainer(draft, container, request);
  for (const container of [...init.start, ...regular.start]) startContainer(draft, container);
}

/** Asks every container to stop at once. Stops the sandbox when all containers have ended. */
function planTermination(draft: Draft): void {
  const graceMs = (draft.facts.termination?.graceSeconds ?? 0) * 1000;
  for (const container of draft.containers) {
    const own = draft.own(container);
    const process = processOf(own);
    // A container that is being created is stopped as soon as its start has succeeded or failed.
    if (process === undefined || own.starting?.stage === 'creating' || process.stop?.forPod) continue;
    if (own.starting?.stage === 'postStart') cancelPostStart(draft, container.name, own.starting);
    // The Killing event of a container that is already being stopped has been recorded.
    if (process.stop === undefined) draft.event(killing(container.name, stopping(container.name)));
    draft.setStop(container.name, podStop(draft, process.stop, { graceMs, hasPreStop: hasPreStop(container) }));
  }
  if (!draft.containers.every((container) => isGone(draft.own(container)))) return;
  const { sandbox } = draft.facts;
  if (sandbox !== 'ready' && sandbox !== 'creating' && sandbox !== 'absent') return;
  draft.facts = { ...draft.facts, sandbox: sandbox === 'ready' ? 'stopping' : 'abandoned' };
  draft.effects.push({ type: 'stopSandbox' });
}

/**
 * Aborts a postStart hook, which counts as a failed hook. On a node the hook runs to its end. Source:
 * kuberuntime_container.go startContainer.
 */
function cancelPostStart(draft: Draft, name: string, starting: Starting): void {
  draft.event(failedPostStartHook(name));
  draft.event(killing(name, HOOK_FAILED));
  draft.change(name, { starting: { ...starting, stage: 'postStartFailed' } });
  draft.effects.push({ type: 'cancelPostStart', container: name, id: starting.id });
}

function podStop(
  draft: Draft,
  underWay: Stop | undefined,
  request: { readonly graceMs: number; readonly hasPreStop: boolean },
): Stop {
  if (underWay === undefined) return requestStop({ ...request, restart: false, forPod: true }, draft.now);
  const shortened = shortenStop(underWay, request.graceMs, draft.now.monotonicMs);
  return { ...shortened, restart: false, forPod: true };
}

function advanceStops(draft: Draft): void {
  const ordered = sidecarsOf(draft.pod.spec).length > 0;
  for (const container of draft.containers) {
    const own = draft.own(container);
    const process = processOf(own);
    if (process?.stop === undefined || !isAlive(own)) continue;
    const { name } = container;
    const mayBeSignalled = !process.stop.forPod || !ordered || isTurnToStop(draft.pod, draft.facts, name);
    const nowMs = draft.now.monotonicMs;
    const step = draft.facts.termination?.force
      ? forceStop(process.stop, nowMs)
      : advanceStop(process.stop, mayBeSignalled, nowMs);
    if (step.stop !== process.stop) draft.setStop(name, step.stop);
    if (step.act !== undefined) draft.effects.push({ type: step.act, container: name, id: process.id });
    if (step.wakeAtMs !== undefined) draft.wake(step.wakeAtMs);
  }
}
