import type { StoredPod } from '../../../api/index.ts';
import { isControlledBy, type Owned } from '../../../controllers/index.ts';
import { line } from '../line.ts';

/**
 * The line `Pods Status:`: the Pods that the workload controls, by phase.
 * Source: describe.go, getPodStatusForController.
 */
export function describePodsStatus(workload: Owned, pods: readonly StoredPod[]): string {
  const phases = pods.filter((pod) => isControlledBy(pod, workload)).map(({ status }) => status.phase);
  const count = (wanted: string): number => phases.filter((phase) => phase === wanted).length;
  const [running, waiting, succeeded, failed] = ['Running', 'Pending', 'Succeeded', 'Failed'].map(count);
  return line(0, 'Pods Status:', `${running} Running / ${waiting} Waiting / ${succeeded} Succeeded / ${failed} Failed`);
}
