import { isTerminalPhase, sidecarsOf, type StoredPod } from '../api/objects.ts';
import type { Instant } from '../api/time.ts';
import { Draft, type SyncConfig } from './plan/draft.ts';
import type { Step } from './effects.ts';
import { isAlive, isGone, type PodFacts, processOf, type Starting, type Stop } from './facts.ts';
import { startEphemeralContainers } from './plan/ephemeral-plan.ts';
import { planInitContainers } from './plan/init-plan.ts';
import { stopContainer } from './plan/kill-container.ts';
import { EVICTION_GRACE_SECONDS, evictionMessage } from './volumes/local-storage.ts';
import { computedPhase, containerStatuses } from './pod-status.ts';
import { planRegularContainers } from './plan/regular-plan.ts';
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
  if (!facts.finished) {
    if (facts.startTime === undefined) draft.facts = { ...facts, startTime: now };
    checkDeadline(draft);
    checkStorage(draft);
    checkCompletion(draft);
    if (draft.facts.termination === undefined) planRunning(draft);
    // Also when planRunning has just found that the Pod is done.
    if (draft.facts.termination !== undefined) planTermination(draft);
    advanceStops(draft);
  }
  return { facts: draft.facts, effects: draft.effects, wakeAtMs: draft.wakeAtMs };
}

/** Source: pkg/kubelet/active_deadline.go. */
function checkDeadline(draft: Draft): void {
  const seconds = draft.pod.spec.activeDeadlineSeconds;
  const { startTime, termination } = draft.facts;
  if (seconds === undefined || startTime === undefined || termination !== undefined) return;
  const deadlineMs = startTime.monotonicMs + seconds * 1000;
  if (draft.now.monotonicMs < deadlineMs) return draft.wake(deadlineMs);
  draft.event(deadlineExceeded());
  draft.terminate('deadlineExceeded', podGraceSeconds(draft.pod, undefined));
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
    draft.event(killing(container.name, stopping(container.name)));
    draft.setStop(container.name, podStop(draft, process.stop, { graceMs, hasPreStop: hasPreStop(container) }));
  }
  if (!draft.containers.every((container) => isGone(draft.own(container)))) return;
  const { sandbox } = draft.facts;
  if (sandbox !== 'ready' && sandbox !== 'creating' && sandbox !== 'absent') return;
  draft.facts = { ...draft.facts, sandbox: sandbox === 'ready' ? 'stopping' : 'abandoned' };
  draft.effects.push({ type: 'stopSandbox' });
}

/**
 * What is being done for a Pod is broken off when it is to go down: a postStart hook has failed then.
 * Source: pkg/kubelet/pod_workers.go UpdatePod (cancelFn), kuberuntime_container.go startContainer.
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
