/**
 * What the condition PodScheduled says while a Pod has scheduling gates: the API server writes it when the Pod is
 * created, the scheduler leaves it be. Source: pkg/registry/core/pod/strategy.go applySchedulingGatedCondition.
 */
export const SCHEDULING_GATED = {
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
} as const;
