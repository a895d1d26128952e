import { isTerminalPhase, parseTime, type StoredPod } from '../../api/index.ts';
import type { RecordedRun } from './recorded-run.ts';
import { latestMomentIn } from './transition-time.ts';

/**
 * The length of a run in milliseconds: from the creation of the Pod to its end, or to `nowMs` while it lives.
 * Undefined: the end of the Pod is unknown.
 */
export function runLengthMs(pod: StoredPod, nowMs: number): number | undefined {
  const { phase } = pod.status;
  if (phase === 'Unknown') return undefined;
  const endMs = isTerminalPhase(phase) ? latestMomentIn(pod) : nowMs;
  return Math.max(0, endMs - parseTime(pod.metadata.creationTimestamp));
}

/** The last recorded state of the Pod. Its deletion is not a state. Undefined: no state is recorded. */
export function lastStateOf({ transitions }: RecordedRun): StoredPod | undefined {
  const last = transitions.findLast(({ type, object }) => object.kind === 'Pod' && type !== 'DELETED');
  return last?.object.kind === 'Pod' ? last.object : undefined;
}

/** True when the run has ended. */
export function isOver(run: RecordedRun): boolean {
  if (run.transitions.some(({ type, object }) => object.kind === 'Pod' && type === 'DELETED')) return true;
  return isTerminalPhase(lastStateOf(run)?.status.phase);
}
