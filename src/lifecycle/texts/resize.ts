import type { ResourceRequirements } from '../../api/index.ts';
import type { EventDraft } from './events.ts';

/** The reason why a resize is refused that asks for more than the node has. Source: API server of Kubernetes 1.36. */
export function tooLargeForNode({ resource, requested, capacity }: Shortage): string {
  const amounts = `requested: ${requested}, allocatable: ${capacity}`;
  return `node didn't have enough allocatable resources: ${resource}, ${amounts}`;
}

/** The condition of a resize that the node can never grant. Source: pkg/apis/core/types.go PodReasonInfeasible. */
export const INFEASIBLE = { type: 'PodResizePending', reason: 'Infeasible' } as const;

/** The resources of a container after a resize. */
export interface ContainerAllotment {
  readonly name: string;
  readonly resources: ResourceRequirements;
}

/** Source: pkg/kubelet/allocation/allocation_manager.go. @param generation of the resized Pod */
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

/** Sorts keys as Go does when it prints a map. */
function byName<T>(amounts: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(amounts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A resource of which a node does not have enough. Amounts are whole units, for cpu thousandths of a core. */
export interface Shortage {
  readonly resource: string;
  readonly requested: bigint;
  /** The amount that other Pods on the node request. */
  readonly used: bigint;
  readonly capacity: bigint;
}
