import { type Container, isSidecar } from '../../api/index.ts';
import type { Draft } from './draft.ts';
import { isAlive } from '../base/facts.ts';
import { imageChanged } from './image-pull.ts';
import { killContainer } from './kill-container.ts';
import { resizeRequiresRestart } from '../status/resize.ts';
import { shouldRestart } from '../base/restart-policy.ts';
import { initDefinitionChanged, initProbeFailed, resizeNeedsRestart } from '../texts/killing.ts';
import { TERMINATED } from '../texts/terminated.ts';

/** The plan for init containers and sidecars. */
export interface InitPlan {
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
    } else if (resizeRequiresRestart(container, draft.own(container))) {
      killContainer(draft, container, resizeNeedsRestart(name));
    }
  }
  return 'done';
}
