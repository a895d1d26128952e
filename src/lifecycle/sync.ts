import { type Container, type Instant, isTerminalPhase, sidecarsOf, type StoredPod } from '../api/index.ts';
import { Draft, type SyncConfig } from './plan/draft.ts';
import type { Step } from './base/effects.ts';
import {
  isAlive,
  isFinished,
  isGone,
  isHookUnderWay,
  type PodFacts,
  processOf,
  type Starting,
  type Stop,
  terminationOf,
} from './base/facts.ts';
import { planInitContainers, planRegularContainers, startEphemeralContainers } from './plan/container-plans.ts';
import {
  advanceStop,
  forceStop,
  hasPreStop,
  isTurnToStop,
  podGraceSeconds,
  requestStop,
  shortenStop,
  stopContainer,
} from './plan/stop.ts';
import { EVICTION_GRACE_SECONDS, evictionMessage } from './volumes/local-storage.ts';
import { computedPhase, containerStatuses } from './status/pod-status.ts';
import { planResize } from './plan/resize-plan.ts';
import { startContainer } from './plan/start-container.ts';
import { CONSEQUENCES, type Ending, type Termination } from './base/termination.ts';
import { deadlineExceeded, evicted, failedPostStartHook, killing } from './texts/events.ts';
import { HOOK_FAILED, RESTARTING_ALL, stopping } from './texts/killing.ts';

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
  if (facts.sandbox === 'stopped') draft.moveSandbox('finish');
  else if (!isFinished(facts)) {
    if (facts.startTime === undefined) draft.facts = { ...facts, startTime: now };
    checkLimits(draft);
    checkCompletion(draft);
    if (draft.facts.ending.stage === 'requested') endSync(draft, draft.facts.ending);
    else if (draft.facts.ending.stage === 'none') planRunning(draft);
    // planRunning may just have completed the Pod.
    const termination = terminationOf(draft.facts);
    if (termination !== undefined) planTermination(draft, termination);
    advanceStops(draft);
  }
  return { facts: draft.facts, effects: draft.effects, wakeAtMs: draft.wakeAtMs };
}

/**
 * Checks the deadline and the storage limits. Waits for a postStart hook, as the kubelet's sync that runs the hook
 * does.
 */
function checkLimits(draft: Draft): void {
  if (isHookUnderWay(draft.facts)) return;
  checkDeadline(draft);
  checkEviction(draft);
}

/**
 * Begins a termination that was requested during a postStart hook, when the sync that runs the hook is over. This sync
 * starts the regular containers one after the other, so the containers after the hook start, too, unless all are being
 * restarted. A termination at the end of the run cuts it off after the grace period (the user may be gone and cannot
 * force it). Source: pkg/kubelet/pod_workers.go, where a worker does one thing at a time; kuberuntime_manager.go
 * SyncPod.
 */
function endSync(draft: Draft, { termination }: Extract<Ending, { stage: 'requested' }>): void {
  const { containers } = draft.pod.spec;
  const isNew = (container: Container): boolean => draft.own(container).current === undefined;
  if (draft.facts.restartingAll === undefined && !containers.every(isNew)) {
    for (const container of containers.filter(isNew)) startContainer(draft, container);
  }
  if (draft.isStarting) {
    if (!CONSEQUENCES[termination.cause].limitsStarts) return;
    const untilMs = termination.since.monotonicMs + termination.graceSeconds * 1000;
    if (draft.now.monotonicMs < untilMs) return draft.wake(untilMs);
  }
  draft.facts = { ...draft.facts, ending: { stage: 'terminating', termination } };
}

/** Source: pkg/kubelet/active_deadline.go. */
function checkDeadline(draft: Draft): void {
  const seconds = draft.pod.spec.activeDeadlineSeconds;
  const { startTime, ending } = draft.facts;
  // A deadline that passes while a deleted Pod stops still sets the cause. One that passes while podrun ends its own
  // run does not.
  const isOver = ending.stage !== 'none' && !CONSEQUENCES[ending.termination.cause].yieldsToDeadline;
  if (seconds === undefined || startTime === undefined || isOver) return;
  const deadlineMs = startTime.monotonicMs + seconds * 1000;
  if (draft.now.monotonicMs < deadlineMs) return draft.wake(deadlineMs);
  draft.event(deadlineExceeded());
  const cause = 'deadlineExceeded';
  if (ending.stage !== 'terminating') return draft.terminate({ cause }, podGraceSeconds(draft.pod, undefined));
  draft.facts = { ...draft.facts, ending: { stage: 'terminating', termination: { ...ending.termination, cause } } };
}

/** Evicts the Pod for its own storage, or for its node. Source: pkg/kubelet/eviction/eviction_manager.go. */
function checkEviction(draft: Draft): void {
  const { storage, eviction } = draft.facts;
  if (terminationOf(draft.facts) !== undefined) return;
  const ownMessage = storage && evictionMessage(draft.pod, storage);
  const message = ownMessage ?? eviction?.message;
  if (message === undefined) return;
  const byNode = ownMessage === undefined;
  // A node that shuts down has no event for its Pods.
  if (!byNode || eviction?.reason === undefined) draft.event(evicted(message));
  const graceSeconds = byNode ? eviction?.graceSeconds : undefined;
  draft.terminate(
    { cause: 'evicted', reason: byNode ? eviction?.reason : undefined, message, byNode },
    Math.max(1, graceSeconds ?? EVICTION_GRACE_SECONDS),
  );
}

/** Terminates a Pod whose phase has become terminal: only sidecars and the sandbox are left. */
function checkCompletion(draft: Draft): void {
  if (terminationOf(draft.facts) !== undefined || draft.facts.restartingAll !== undefined) return;
  const { init, regular } = containerStatuses(draft.pod, draft.facts);
  if (isTerminalPhase(computedPhase(draft.pod, draft.facts, [...init, ...regular]))) complete(draft);
}

function complete(draft: Draft): void {
  draft.terminate({ cause: 'completed' }, podGraceSeconds(draft.pod, undefined));
}

function planRunning(draft: Draft): void {
  draft.moveSandbox('create');
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
function planTermination(draft: Draft, termination: Termination): void {
  const graceMs = termination.graceSeconds * 1000;
  for (const container of draft.containers) {
    const own = draft.own(container);
    const process = processOf(own);
    // A container that is being created is stopped as soon as its start has succeeded or failed.
    if (process === undefined || own.starting?.stage === 'creating' || process.stop?.purpose === 'endPod') continue;
    if (own.starting?.stage === 'postStart') cancelPostStart(draft, container.name, own.starting);
    // The Killing event of a container that is already being stopped has been recorded.
    if (process.stop === undefined) draft.event(killing(container.name, stopping(container.name)));
    draft.setStop(container.name, podStop(draft, process.stop, { graceMs, hasPreStop: hasPreStop(container) }));
  }
  if (draft.containers.every((container) => isGone(draft.own(container)))) draft.moveSandbox('stop');
}

/**
 * Aborts a postStart hook, which counts as a failed hook. On a node the hook runs to its end. Source:
 * kuberuntime_container.go startContainer.
 */
function cancelPostStart(draft: Draft, name: string, starting: Extract<Starting, { stage: 'postStart' }>): void {
  draft.event(failedPostStartHook(name));
  draft.event(killing(name, HOOK_FAILED));
  draft.change(name, { starting: { ...starting, stage: 'postStartFailed', hookError: undefined } });
  draft.effects.push({ type: 'cancelPostStart', container: name, id: starting.id });
}

function podStop(
  draft: Draft,
  underWay: Stop | undefined,
  request: { readonly graceMs: number; readonly hasPreStop: boolean },
): Stop {
  if (underWay === undefined) return requestStop({ ...request, purpose: 'endPod' }, draft.now);
  const shortened = shortenStop(underWay, request.graceMs, draft.now.monotonicMs);
  return { ...shortened, purpose: 'endPod' };
}

function advanceStops(draft: Draft): void {
  const ordered = sidecarsOf(draft.pod.spec).length > 0;
  for (const container of draft.containers) {
    const own = draft.own(container);
    const process = processOf(own);
    if (process?.stop === undefined || !isAlive(own)) continue;
    const { name } = container;
    const mayBeSignalled = process.stop.purpose !== 'endPod' || !ordered || isTurnToStop(draft.pod, draft.facts, name);
    const nowMs = draft.now.monotonicMs;
    const step = terminationOf(draft.facts)?.force
      ? forceStop(process.stop, nowMs)
      : advanceStop(process.stop, mayBeSignalled, nowMs);
    if (step.stop !== process.stop) draft.setStop(name, step.stop);
    if (step.act !== undefined) draft.effects.push({ type: step.act, container: name, id: process.id });
    if (step.wakeAtMs !== undefined) draft.wake(step.wakeAtMs);
  }
}

/**
 * Plans RestartAllContainers: kills every container without its preStop hook, then removes all instances and
 * initializes the Pod anew in the same sandbox. True while the restart is under way: the sync plans nothing else.
 * Source: kuberuntime_manager.go SyncPod (feature RestartAllContainersOnContainerExits, 1.36).
 */
function planRestartAll(draft: Draft): boolean {
  const { restartingAll } = draft.facts;
  if (restartingAll === undefined) return false;
  const order = [...draft.pod.spec.containers, ...(draft.pod.spec.initContainers ?? [])];
  for (const { name } of order) {
    const own = draft.own({ name });
    const process = own.starting ?? own.current;
    if (!isAlive(own) || own.starting?.stage === 'creating' || process?.stop !== undefined) continue;
    draft.event(killing(name, RESTARTING_ALL));
    draft.setStop(name, requestStop({ graceMs: 0, hasPreStop: false, purpose: 'end' }, draft.now));
  }
  if (!order.every((container) => isGone(draft.own(container)))) return true;
  for (const { name } of order) {
    const own = draft.own({ name });
    if (own.current?.exit === undefined) continue;
    draft.change(name, {
      current: undefined,
      previous: undefined,
      startError: undefined,
      probes: {},
      removed: own.current,
    });
  }
  draft.facts = { ...draft.facts, restartingAll: undefined };
  // Publish the removal before the first container runs again.
  draft.wake(draft.now.monotonicMs);
  return true;
}
