import { formatTime, type PodCondition, type PodStatus, qualifiedNameMessages, usage } from '../../api/index.ts';
import { isKubeletCondition } from '../status/merge-status.ts';

export type ConditionStatus = 'False' | 'True' | 'Unknown';

/** A change of one condition of a Pod. */
export interface ConditionEdit {
  readonly type: string;
  /** Undefined: the condition is removed. */
  readonly status: ConditionStatus | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/**
 * Sets or removes conditions as a controller does: lastTransitionTime changes only with the status of a condition.
 * Source: pkg/api/v1/pod/util.go UpdatePodCondition.
 * @param nowMs milliseconds since 1970
 */
export function setConditions(status: PodStatus, edits: readonly ConditionEdit[], nowMs: number): PodStatus {
  const conditions = edits.reduce<readonly PodCondition[]>(
    (present, edit) => setCondition(present, edit, nowMs),
    status.conditions ?? [],
  );
  return status.conditions === undefined && conditions.length === 0
    ? status
    : { ...status, conditions: [...conditions] };
}

function setCondition(present: readonly PodCondition[], edit: ConditionEdit, nowMs: number): readonly PodCondition[] {
  const { type, status, reason, message } = edit;
  if (status === undefined) return present.filter((condition) => condition.type !== type);
  const before = present.find((condition) => condition.type === type);
  const carried = before?.status === status ? before.lastTransitionTime : undefined;
  const condition: PodCondition = {
    type,
    status,
    lastTransitionTime: carried ?? formatTime(nowMs),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
  if (before === undefined) return [...present, condition];
  return present.map((old) => (old === before ? condition : old));
}

/**
 * Checks the type of a condition that a client sets.
 * @throws {PodrunError} (usage) when the kubelet sets it, or when it is not a qualified name
 */
export function checkConditionType(type: string): void {
  if (isKubeletCondition(type)) {
    throw usage(
      `the condition ${type} is the kubelet's own: the agent of the Pod computes it`,
      'Set the conditions of readiness gates (spec.readinessGates) instead: Ready waits for them.',
    );
  }
  const wrong = qualifiedNameMessages(type);
  if (wrong.length > 0) throw usage(`invalid condition type ${JSON.stringify(type)}: ${wrong.join(';')}`);
}
