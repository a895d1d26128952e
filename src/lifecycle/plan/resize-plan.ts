import { type Container, isSidecar } from '../../api/index.ts';
import { isRunning } from '../base/facts.ts';
import { isResized, resizeRequiresRestart } from '../status/resize.ts';
import { type ContainerAllotment, resizeCompleted, resizeStarted } from '../texts/resize.ts';
import type { Draft } from './draft.ts';

/**
 * Plans the steps of a resize in place. The resize is over when every container has the resources of the spec.
 * Containers that need a restart get it from the plans of init and regular containers. Source: doPodResizeAction in
 * pkg/kubelet/kuberuntime/kuberuntime_manager.go; pkg/kubelet/allocation/allocation_manager.go.
 */
export function planResize(draft: Draft): void {
  const { pod, facts } = draft;
  const generation = pod.metadata.generation ?? 1;
  const containers = resizable(draft);
  const running = containers.filter((container) => isRunning(draft.own(container)));
  const resized = running.filter((container) => isResized(container, draft.own(container), pod.spec));
  if (resized.length > 0 && facts.resizing !== generation) {
    draft.facts = { ...facts, resizing: generation };
    draft.event(resizeStarted(containers.map(allotment), generation));
    // Publish the resize that is under way before the next step.
    return draft.wake(draft.now.monotonicMs);
  }
  if (facts.resizing === undefined) return;
  for (const container of resized) {
    const own = draft.own(container);
    if (own.current === undefined || resizeRequiresRestart(container, own, pod.spec)) continue;
    const resources = { resources: container.resources, podResources: pod.spec.resources };
    draft.change(container.name, { current: { ...own.current, ...resources } });
  }
  if (containers.some((container) => isPending(draft, container))) return;
  draft.facts = { ...draft.facts, resizing: undefined };
  draft.event(resizeCompleted(containers.map(allotment), generation));
}

/** Sidecars and regular containers. */
function resizable({ pod: { spec } }: Draft): Container[] {
  return [...(spec.initContainers ?? []).filter(isSidecar), ...spec.containers];
}

/** True when the container is about to restart or to get other resources. */
function isPending(draft: Draft, container: Container): boolean {
  const own = draft.own(container);
  if (own.starting !== undefined || own.current?.stop?.purpose === 'restart') return true;
  return isRunning(own) && isResized(container, own, draft.pod.spec);
}

function allotment({ name, resources = {} }: Container): ContainerAllotment {
  return { name, resources };
}
