import { isMirrorPod, type ObjectMeta, type PodSpec } from '../../api/index.ts';

/** Source: pkg/apis/scheduling/types.go SystemCriticalPriority. */
const CRITICAL_PRIORITY = 2_000_000_000;

/** The priority of a Pod. A Pod without one has 0. */
export function priorityOf({ spec }: { readonly spec: PodSpec }): number {
  return spec.priority ?? 0;
}

/** True for a Pod that a node never evicts. Source: pkg/kubelet/types/pod_update.go IsCriticalPod. */
export function isCritical(pod: { readonly metadata: ObjectMeta; readonly spec: PodSpec }): boolean {
  return isMirrorPod(pod) || priorityOf(pod) >= CRITICAL_PRIORITY;
}
