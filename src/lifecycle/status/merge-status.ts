import { isSameJson, isTerminalPhase, type PodCondition, type PodStatus, type StoredPod } from '../../api/index.ts';
import { TERMINATION_BY_KUBELET } from '../texts/condition-reasons.ts';

/** The conditions that the kubelet computes. Source: pkg/kubelet/types/pod_status.go PodConditionByKubelet. */
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

/** True when only the agent sets this condition. Any other condition, DisruptionTarget too, belongs to its writer. */
export function isKubeletCondition(type: string): boolean {
  return KUBELET_CONDITIONS.has(type);
}

/** True for a condition of the kubelet, and for its DisruptionTarget. */
function isOwnCondition({ type, reason }: PodCondition): boolean {
  return isKubeletCondition(type) || reason === TERMINATION_BY_KUBELET;
}

/** The conditions of other writers, for example of a readiness gate. */
export function foreignConditions({ conditions = [] }: PodStatus): PodCondition[] {
  return conditions.filter((condition) => !isOwnCondition(condition));
}

/** The reason and message of another writer for the end of the Pod. */
export function reasonAndMessage({ reason, message }: PodStatus): Pick<PodStatus, 'message' | 'reason'> {
  return { ...(reason !== undefined && { reason }), ...(message !== undefined && { message }) };
}

/**
 * Merges the agent's status with the conditions of other writers from the store, which come first: the agent's copy of
 * them may be out of date. A terminal phase in the store stays. Source: pkg/kubelet/status/status_manager.go
 * mergePodStatus, pkg/kubelet/kubelet_pods.go generateAPIPodStatus.
 */
export function mergeStatus(stored: PodStatus, own: PodStatus): PodStatus {
  const isEnded = isTerminalPhase(stored.phase) && !isTerminalPhase(own.phase);
  const merged = isEnded ? { ...own, phase: stored.phase, ...reasonAndMessage(stored) } : own;
  if (own.conditions === undefined && stored.conditions === undefined) return merged;
  const owned = (own.conditions ?? []).filter(isOwnCondition);
  return { ...merged, conditions: [...foreignConditions(stored), ...owned] };
}

/** Compares the parts of a Pod that clients write and the agent only reads: metadata and spec. */
export function isSameForClients(one: StoredPod, other: StoredPod): boolean {
  const { resourceVersion } = one.metadata;
  return isSameJson([one.metadata, one.spec], [{ ...other.metadata, resourceVersion }, other.spec]);
}
