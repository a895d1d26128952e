import type { Instant, StoredPod } from '../../api/index.ts';
import { withTransitionTime } from '../status/pod-status.ts';
import type { ConditionVerdict } from '../status/conditions.ts';
import { CONDITION } from '../texts/condition-reasons.ts';

/**
 * Sets the condition PodScheduled, as the last condition. The scheduler sets observedGeneration only for Unschedulable.
 * Source: pkg/scheduler/schedule_one.go, pkg/registry/core/pod/storage assignPod.
 */
export function withScheduled(pod: StoredPod, verdict: ConditionVerdict, now: Instant): StoredPod {
  const old = pod.status.conditions ?? [];
  const generation = verdict.reason === CONDITION.unschedulable ? pod.metadata.generation : undefined;
  const scheduled = withTransitionTime('PodScheduled', verdict, { old, now, generation });
  const conditions = [...old.filter(({ type }) => type !== 'PodScheduled'), scheduled];
  return { ...pod, status: { ...pod.status, conditions } };
}

/** Binds the Pod to a node, as the scheduler does. Source: pkg/registry/core/pod/storage assignPod. */
export function boundTo(pod: StoredPod, nodeName: string, now: Instant): StoredPod {
  const { nominatedNodeName: _, ...status } = pod.status;
  return withScheduled({ ...pod, spec: { ...pod.spec, nodeName }, status }, { status: 'True' }, now);
}
