import type { PodSpec, Taint, Toleration } from '../../api/generated/types.ts';

/**
 * Does the node have a taint, with one of these effects, that the Pod does not tolerate?
 * Source: staging/src/k8s.io/component-helpers/scheduling/corev1/helpers.go FindMatchingUntoleratedTaint.
 */
export function hasUntoleratedTaint(
  { tolerations = [] }: PodSpec,
  taints: readonly Taint[],
  effects: ReadonlyArray<Taint['effect']>,
): boolean {
  const counted = taints.filter(({ effect }) => effects.includes(effect));
  return counted.some((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** An empty key, with Exists, tolerates everything. Source: staging/src/k8s.io/api/core/v1/toleration.go. */
function tolerates({ key = '', operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return operator === 'Equal' && value === (taint.value ?? '');
}
