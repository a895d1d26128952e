import type { PodSpec, Taint, Toleration } from '../../api/index.ts';

/** The taint of a cordoned node. Source: staging/src/k8s.io/api/core/v1/well_known_taints.go. */
export const CORDON: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/**
 * True when the node has a taint with one of these effects that the Pod does not tolerate. Source:
 * staging/src/k8s.io/component-helpers/scheduling/corev1/helpers.go FindMatchingUntoleratedTaint.
 */
export function hasUntoleratedTaint(
  { tolerations = [] }: PodSpec,
  taints: readonly Taint[],
  effects: ReadonlyArray<Taint['effect']>,
): boolean {
  const counted = taints.filter(({ effect }) => effects.includes(effect));
  return counted.some((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}

/**
 * The time that a running Pod tolerates the NoExecute taints of its node, in milliseconds. 0: not at all. Infinity: for
 * ever. Source: pkg/controller/tainteviction/taint_eviction.go processPodOnNode, getMinTolerationTime.
 */
export function toleranceMs({ tolerations = [] }: PodSpec, taints: readonly Taint[]): number {
  const counted = taints.filter(({ effect }) => effect === 'NoExecute');
  const used = counted.map((taint) => tolerations.find((toleration) => tolerates(toleration, taint)));
  const seconds = used.map((toleration) => (toleration === undefined ? 0 : (toleration.tolerationSeconds ?? Infinity)));
  return Math.max(0, Math.min(Infinity, ...seconds)) * 1000;
}

/**
 * True when the toleration matches the taint. An empty key with Exists matches every taint. Source:
 * staging/src/k8s.io/api/core/v1/toleration.go.
 */
function tolerates({ key = '', operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return operator === 'Equal' && value === (taint.value ?? '');
}
