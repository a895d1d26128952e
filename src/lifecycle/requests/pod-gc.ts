import { compareText, isTerminalPhase, type StoredPod } from '../../api/index.ts';
import { EVICTED } from '../texts/pod-reasons.ts';

/**
 * The ended Pods beyond a limit: evicted Pods first, then the oldest. Source: pkg/controller/podgc/gc_controller.go
 * gcTerminated, byEvictionAndCreationTimestamp.
 * @param pods all Pods: only ended Pods count
 * @param keep the number of ended Pods that may stay
 */
export function surplusPods(pods: readonly StoredPod[], keep: number): StoredPod[] {
  const ended = pods.filter(({ status }) => isTerminalPhase(status.phase));
  return ended.toSorted(byEvictionAndCreation).slice(0, Math.max(0, ended.length - keep));
}

function byEvictionAndCreation(a: StoredPod, b: StoredPod): number {
  const evicted = Number(b.status.reason === EVICTED) - Number(a.status.reason === EVICTED);
  // All timestamps of podrun have one format.
  return evicted || compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp);
}
