import { isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { EVICTED } from '../texts/pod-reasons.ts';

/**
 * Which of the Pods that have ended are too many: evicted ones go first, then those that were created first.
 * Source: pkg/controller/podgc/gc_controller.go gcTerminated, byEvictionAndCreationTimestamp.
 * @param pods also such that have not ended: they count for nothing
 * @param keep how many may stay
 */
export function surplusPods(pods: readonly StoredPod[], keep: number): StoredPod[] {
  const ended = pods.filter(({ status }) => isTerminalPhase(status.phase));
  return ended.toSorted(byEvictionAndCreation).slice(0, Math.max(0, ended.length - keep));
}

function byEvictionAndCreation(a: StoredPod, b: StoredPod): number {
  const evicted = Number(b.status.reason === EVICTED) - Number(a.status.reason === EVICTED);
  return evicted || compare(a.metadata.creationTimestamp, b.metadata.creationTimestamp);
}

/** Times of podrun have one form: as texts they sort by age. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
