import { type Container, type EphemeralContainer, isSidecar } from '../../api/index.ts';
import { type ContainerFacts, isAlive, isRunning } from '../base/facts.ts';
import { restartsAfterKill, shouldRestart } from '../base/restart-policy.ts';
import { willRestart } from '../status/container-status.ts';
import { resizeRequiresRestart } from '../status/resize.ts';
import { noTarget } from '../texts/config-errors.ts';
import { TERMINATED, WAITING } from '../texts/container-states.ts';
import { failed } from '../texts/events.ts';
import {
  definitionChanged,
  initDefinitionChanged,
  initProbeFailed,
  probeFailed,
  resizeNeedsRestart,
} from '../texts/killing.ts';
import type { Draft } from './draft.ts';
import { imageChanged } from './image-pull.ts';
import { startContainer } from './start-container.ts';
import { killContainer, type KillRequest } from './stop.ts';

/** The plan for init containers and sidecars. */
interface InitPlan {
  readonly start: readonly Container[];
  /** True: regular containers may start. */
  readonly initialized: boolean;
  /** True: an init container has failed for good, and so has the Pod. */
  readonly failed: boolean;
}

/**
 * Walks the init containers from the last to the first. Plain init containers run one after the other, each to its end.
 * A sidecar counts as done when it has started, and is restarted from then on. Source: kuberuntime_container.go
 * computeInitContainerActions.
 */
export function planInitContainers(draft: Draft): InitPlan {
  const init = draft.pod.spec.initContainers ?? [];
  if (init.length === 0) return { start: [], initialized: true, failed: false };
  let initialized = draft.pod.spec.containers.some((container) => isAlive(draft.own(container)));
  let laterOneRan = initialized;
  const start: Container[] = [];

  for (let index = init.length - 1; index >= 0; index--) {
    const container = init[index]!;
    const own = draft.own(container);
    const sidecar = isSidecar(container);
    if (own.starting === undefined && own.current === undefined) {
      if (laterOneRan && sidecar) start.push(container);
      continue;
    }
    if (laterOneRan && !sidecar) continue;
    const verdict = own.starting === undefined ? judge(draft, container) : 'wait';
    if (verdict === 'failed') return { start: [], initialized: false, failed: true };
    if (verdict === 'start') start.push(container);
    if (verdict === 'done') {
      const next = init[index + 1];
      if (next === undefined) initialized = true;
      else if (!laterOneRan) start.push(next);
    }
    laterOneRan = true;
  }
  if (!laterOneRan) start.push(init[0]!);
  return { start: start.reverse(), initialized, failed: false };
}

/**
 * wait: the container is not done. done: the next one may start. start: the container starts (again). failed: it does
 * not run again.
 */
type InitVerdict = 'wait' | 'done' | 'start' | 'failed';

function judge(draft: Draft, container: Container): InitVerdict {
  const { current } = draft.own(container);
  if (current?.exit === undefined) return isSidecar(container) ? judgeSidecar(draft, container) : 'wait';
  if (isSidecar(container)) return 'start';
  const { exitCode, reason } = current.exit;
  if (exitCode === 0 && reason !== TERMINATED.oomKilled) return 'done';
  return shouldRestart(draft.pod.spec.restartPolicy, container, exitCode) ? 'start' : 'failed';
}

/** Checks the probes of a running sidecar. Kills it for a restart when its startup or liveness probe has failed. */
function judgeSidecar(draft: Draft, container: Container): InitVerdict {
  const { current, probes } = draft.own(container);
  const { name } = container;
  if (container.startupProbe !== undefined && probes.startup !== true) {
    if (probes.startup === false) {
      killContainer(draft, container, initProbeFailed(name, 'startup'), container.startupProbe);
    }
    return 'wait';
  }
  if (current?.stop === undefined) {
    if (imageChanged(container, draft.own(container))) {
      draft.change(name, { backOff: undefined });
      killContainer(draft, container, initDefinitionChanged(name));
    } else if (container.livenessProbe !== undefined && probes.liveness === false) {
      killContainer(draft, container, initProbeFailed(name, 'liveness'), container.livenessProbe);
    } else if (resizeRequiresRestart(container, draft.own(container), draft.pod.spec)) {
      killContainer(draft, container, resizeNeedsRestart(name));
    }
  }
  return 'done';
}

/** The plan for the regular containers of an initialized Pod. */
interface RegularPlan {
  readonly start: readonly Container[];
  readonly kill: readonly { readonly container: Container; readonly request: KillRequest }[];
  /** True when a container runs or will run: the Pod is not done. */
  readonly alive: boolean;
}

/** Source: kuberuntime_manager.go computePodActions. */
export function planRegularContainers(draft: Draft): RegularPlan {
  const start: Container[] = [];
  const kill: { container: Container; request: KillRequest }[] = [];
  let alive = false;
  for (const container of draft.pod.spec.containers) {
    const own = draft.own(container);
    if (own.starting !== undefined) alive = true;
    else if (!isRunning(own)) {
      if (willRestart(draft.pod, draft.facts, container)) start.push(container);
    } else {
      const request = own.current?.stop === undefined ? killReason(draft, container) : undefined;
      if (request !== undefined) kill.push({ container, request });
      // A sync that stops a container for good ends with the container: it does not count as alive.
      if (request?.restart !== false) alive = true;
    }
  }
  return { start, kill, alive: alive || start.length > 0 };
}

function killReason(draft: Draft, container: Container): KillRequest | undefined {
  const own = draft.own(container);
  const { name } = container;
  if (imageChanged(container, own)) {
    return { why: definitionChanged(name), failedProbe: undefined, restart: true };
  }
  const restart = restartsAfterKill(draft.pod.spec.restartPolicy, container);
  if (container.livenessProbe !== undefined && own.probes.liveness === false) {
    return { why: probeFailed(name, 'liveness', restart), failedProbe: container.livenessProbe, restart };
  }
  if (container.startupProbe !== undefined && own.probes.startup === false) {
    return { why: probeFailed(name, 'startup', restart), failedProbe: container.startupProbe, restart };
  }
  if (resizeRequiresRestart(container, own, draft.pod.spec)) {
    return { why: resizeNeedsRestart(name), failedProbe: undefined, restart: true };
  }
  return undefined;
}

/**
 * Starts each ephemeral container once, also while the Pod is being initialized. Source: kuberuntime_manager.go
 * computePodActions, SyncPod.
 */
export function startEphemeralContainers(draft: Draft): void {
  for (const container of draft.pod.spec.ephemeralContainers ?? []) {
    const { starting, current } = draft.own(container);
    if (starting !== undefined || current !== undefined) continue;
    if (!waitsForTarget(draft, container)) startContainer(draft, container);
  }
}

/**
 * True while the target container of an ephemeral container has not run. Until then the configuration is incomplete.
 */
function waitsForTarget(draft: Draft, { name, targetContainerName: target }: EphemeralContainer): boolean {
  if (!target || hasRun(draft.own({ name: target }))) return false;
  const message = noTarget(target);
  // Record the error once. The start of the target causes another sync.
  if (draft.own({ name }).startError?.message === message) return true;
  draft.event(failed(name, message));
  draft.change(name, { startError: { reason: WAITING.createContainerConfigError, message, retryAtMs: undefined } });
  return true;
}

function hasRun({ starting, current }: ContainerFacts): boolean {
  return current !== undefined || (starting !== undefined && starting.stage !== 'creating');
}
