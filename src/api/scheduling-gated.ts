/**
 * The condition PodScheduled of a Pod with scheduling gates. The API server sets it when the Pod is created, and the
 * scheduler keeps it. Source: pkg/registry/core/pod/strategy.go applySchedulingGatedCondition.
 */
export const SCHEDULING_GATED = {
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
} as const;
