import type { PodCondition, PodStatus } from '../../api/generated/types.ts';
import { isTerminalPhase } from '../../api/objects.ts';

/** The conditions that kubelet computes. Source: pkg/kubelet/types/pod_status.go PodConditionByKubelet. */
const KUBELET_CONDITIONS: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
  'AllContainersRestarting',
  'PodResizePending',
  'PodResizeInProgress',
]);

/** Does the agent alone say what this condition is? All others are whoever's set them, DisruptionTarget too. */
export function isKubeletCondition(type: string): boolean {
  return KUBELET_CONDITIONS.has(type);
}

/** Conditions that somebody else has set: a readiness gate's, for example. */
export function othersConditions({ conditions = [] }: PodStatus): PodCondition[] {
  return conditions.filter(({ type }) => !isKubeletCondition(type));
}

/** Why somebody else has ended the Pod, as they have written it. */
export function givenVerdict({ reason, message }: PodStatus): Pick<PodStatus, 'message' | 'reason'> {
  return { ...(reason !== undefined && { reason }), ...(message !== undefined && { message }) };
}

/**
 * The agent's status with the conditions of others as they are stored, first: whatever the agent knows of those may be
 * out of date. A Pod that has ended for good in the store does not come back.
 * Source: pkg/kubelet/status/status_manager.go mergePodStatus, pkg/kubelet/kubelet_pods.go generateAPIPodStatus.
 */
export function mergeStatus(stored: PodStatus, own: PodStatus): PodStatus {
  const isEnded = isTerminalPhase(stored.phase) && !isTerminalPhase(own.phase);
  const merged = isEnded ? { ...own, phase: stored.phase, ...givenVerdict(stored) } : own;
  if (own.conditions === undefined && stored.conditions === undefined) return merged;
  const owned = (own.conditions ?? []).filter(({ type }) => isKubeletCondition(type));
  return { ...merged, conditions: [...othersConditions(stored), ...owned] };
}
