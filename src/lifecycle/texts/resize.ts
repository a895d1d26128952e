import type { ResourceRequirements } from '../../api/generated/types.ts';
import type { EventDraft } from '../effects.ts';

/** What a resize gives a container. */
export interface ContainerAllotment {
  readonly name: string;
  readonly resources: ResourceRequirements;
}

/** Source: pkg/kubelet/allocation/allocation_manager.go. @param generation of the Pod that asks for it */
export function resizeStarted(containers: readonly ContainerAllotment[], generation: number): EventDraft {
  return resizeEvent('ResizeStarted', 'Pod resize started', containers, generation);
}

/** Source: pkg/kubelet/kubelet.go. */
export function resizeCompleted(containers: readonly ContainerAllotment[], generation: number): EventDraft {
  return resizeEvent('ResizeCompleted', 'Pod resize completed', containers, generation);
}

function resizeEvent(
  reason: string,
  text: string,
  containers: readonly ContainerAllotment[],
  generation: number,
): EventDraft {
  const ordered = containers.map(({ name, resources: { limits, requests } }) => ({
    name,
    resources: { ...(limits && { limits: byName(limits) }), ...(requests && { requests: byName(requests) }) },
  }));
  const message = `${text}: ${JSON.stringify({ containers: ordered, generation })}`;
  return { type: 'Normal', reason, message };
}

/** Go writes the keys of a map in this order. */
function byName<T>(amounts: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(amounts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
