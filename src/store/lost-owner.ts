import type { PodStatus } from '../api/generated/types.ts';
import { isTerminalPhase, type StoredPod } from '../api/objects.ts';

/**
 * What readers see of a Pod. When the process that ran it is gone, nobody knows what became of the Pod: phase Unknown,
 * a message that says who is gone, and not Ready, as the Pods of a lost node are not. A Pod that has ended stays as it
 * ended; one that nobody has taken up yet is as it was created.
 */
export function asReadersSeeIt(pod: StoredPod, lostOwner: { readonly pid: number } | undefined): StoredPod {
  if (lostOwner === undefined || isTerminalPhase(pod.status.phase)) return pod;
  const message = `podrun (process ${lostOwner.pid}), which ran this Pod, is gone; what became of it is not known`;
  return { ...pod, status: { ...notReady(pod.status), phase: 'Unknown', message } };
}

/** Source: pkg/controller/util/node/controller_utils.go MarkPodsNotReady. */
function notReady(status: PodStatus): PodStatus {
  if (status.conditions === undefined) return status;
  const conditions = status.conditions.map((condition) =>
    condition.type === 'Ready' ? { ...condition, status: 'False' } : condition,
  );
  return { ...status, conditions };
}
