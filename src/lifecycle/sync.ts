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
  /** Look again at this time of the stopwatch if nothing happens before. */
  readonly wakeAtMs: number | undefined;
}

/**
 * What should happen now: the plan of one Pod, from its object, what is known of it, and the time. Level-triggered:
 * calling it again without anything new asks for nothing. Effects are asked for once; the facts it answers remember.
 * Source: pkg/kubelet/kubelet.go SyncPod, SyncTerminatingPod; kuberuntime_manager.go computePodActions.
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
    // Also when planRunning has just found that the Pod is done.
    if (draft.facts.termination !== undefined) planTermination(draft);
    advanceStops(draft);
  }
  return { facts: draft.facts, effects: draft.effects, wakeAtMs: draft.wakeAtMs };
}

/** The terminal phase has been told; what is said of containers that were never seen to end comes after it. */
function finish(draft: Draft): void {
  if (draft.facts.finished) return;
  draft.facts = { ...draft.facts, finished: true };
  draft.effects.push({ type: 'finish' });
}

/** The sync that runs a postStart hook goes on to its end before the next one looks at deadlines and disks. */
function checkLimits(draft: Draft): void {
  if (isHookUnderWay(draft.facts)) return;
  checkDeadline(draft);
  checkStorage(draft);
}

/**
 * A termination that was asked for during a postStart hook begins when the sync that runs the hook is over. That starts
 * the regular containers one after the other: those behind the hook are started, too. An end of the run that podrun
 * itself asks for waits no longer than its grace period, as nobody may be there to hurry it.
 * Source: pkg/kubelet/pod_workers.go, where a worker does one thing at a time; kuberuntime_manager.go SyncPod.
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
  const begun = termination && {
    ...termination,
    graceSeconds: Math.min(termination.graceSeconds, requested.graceSeconds),
  };
  draft.facts = { ...draft.facts, requested: undefined, termination: begun ?? requested };
}

/** Source: pkg/kubelet/active_deadline.go. */
function checkDeadline(draft: Draft): void {
  const seconds = draft.pod.spec.activeDeadlineSeconds;
  const { startTime, termination } = draft.facts;
  // One that passes while a deleted Pod stops is its end all the same.
  const isOver = termination !== undefined && termination.cause !== 'deleted';
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

/** A Pod whose phase has become terminal is taken down: what is left are sidecars and its environment. */
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

/** Every container is asked to stop at once; when all are gone, the Pod's environment goes. */
function planTermination(draft: Draft): void {
  const graceMs = (draft.facts.termination?.graceSeconds ?? 0) * 1000;
  for (const container of draft.containers) {
    const own = draft.own(container);
    const process = processOf(own);
    // One that is just being created is stopped as soon as it is known whether it runs.
    if (process === undefined || own.starting?.stage === 'creating' || process.stop?.forPod) continue;
    if (own.starting?.stage === 'postStart') cancelPostStart(draft, container.name, own.starting);
    // Of one that is being stopped already, that was told.
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
 * A hook that nobody waits for any more has failed.
 * Source: kuberuntime_container.go startContainer. (On a node it goes on to its end.)
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
  const hurried = shortenStop(underWay, request.graceMs, draft.now.monotonicMs);
  return { ...hurried, restart: false, forPod: true };
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
