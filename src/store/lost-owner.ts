import { isTerminalPhase, type StoredPod } from '../api/objects.ts';

/**
 * What readers see of a Pod. When the process that ran it is gone, nobody knows what became of the Pod: phase Unknown,
 * and a message that says who is gone; it is not Ready, as the Pods of a node that is gone are not. A Pod that has ended stays as it ended; one that nobody has taken up yet is as
 * it was created.
 */
export function asReadersSeeIt(pod: StoredPod, lostOwner: { readonly pid: number } | undefined): StoredPod {
  if (lostOwner === undefined || isTerminalPhase(pod.status.phase)) return pod;
  const message = `podrun (process ${lostOwner.pid}), which ran this Pod, is gone; what became of it is not known`;
  const conditions = (pod.status.conditions ?? []).map((condition) =>
    condition.type === 'Ready' ? { ...condition, status: 'False' } : condition,
  );
  return { ...pod, status: { ...pod.status, phase: 'Unknown', message, conditions } };
}
