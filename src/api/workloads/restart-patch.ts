import { formatTime } from '../base/time.ts';

/**
 * The merge patch of `kubectl rollout restart`: the template differs, so the controller replaces the Pods. Source:
 * kubectl/pkg/polymorphichelpers/objectrestarter.go.
 */
export function restartPatch(nowMs: number): object {
  const restartedAt = formatTime(nowMs).replace(/\.\d+Z$/, 'Z');
  const annotations = { 'kubectl.kubernetes.io/restartedAt': restartedAt };
  return { spec: { template: { metadata: { annotations } } } };
}
