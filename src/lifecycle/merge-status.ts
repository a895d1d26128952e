import type { PodCondition, PodStatus } from '../api/generated/types.ts';

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

/**
 * The agent's status with the conditions of others as they are stored, first: whatever the agent knows of those may be
 * out of date. Source: pkg/kubelet/status/status_manager.go mergePodStatus.
 */
export function mergeStatus(stored: PodStatus, own: PodStatus): PodStatus {
  if (own.conditions === undefined && stored.conditions === undefined) return own;
  const owned = (own.conditions ?? []).filter(({ type }) => isKubeletCondition(type));
  return { ...own, conditions: [...othersConditions(stored), ...owned] };
}
