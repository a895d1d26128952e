import type { Container } from '../../api/index.ts';
import { willRestart } from '../status/container-status.ts';
import type { Draft } from './draft.ts';
import { isRunning } from '../base/facts.ts';
import { imageChanged } from './image-pull.ts';
import type { KillRequest } from './kill-container.ts';
import { resizeRequiresRestart } from '../status/resize.ts';
import { restartsAfterKill } from '../base/restart-policy.ts';
import { definitionChanged, probeFailed, resizeNeedsRestart } from '../texts/killing.ts';

/** The plan for the regular containers of an initialized Pod. */
export interface RegularPlan {
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
  if (resizeRequiresRestart(container, own)) {
    return { why: resizeNeedsRestart(name), failedProbe: undefined, restart: true };
  }
  return undefined;
}
