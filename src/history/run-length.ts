import { isTerminalPhase, type StoredPod } from '../api/objects.ts';
import { parseTime } from '../api/time.ts';
import type { RecordedRun } from './recorded-run.ts';
import { latestMomentIn } from './transition-time.ts';

/**
 * How long a run has lasted, in milliseconds: from the creation of the Pod to its end, or to `nowMs` while it lives;
 * undefined where nobody knows when it ended.
 */
export function runLengthMs(pod: StoredPod, nowMs: number): number | undefined {
  const { phase } = pod.status;
  if (phase === 'Unknown') return undefined;
  const endMs = isTerminalPhase(phase) ? latestMomentIn(pod) : nowMs;
  return Math.max(0, endMs - parseTime(pod.metadata.creationTimestamp));
}

/** The Pod of a run as it was last, but for its end; undefined where no state of it is on record. */
export function lastStateOf({ transitions }: RecordedRun): StoredPod | undefined {
  const last = transitions.findLast(({ type, object }) => object.kind === 'Pod' && type !== 'DELETED');
  return last?.object.kind === 'Pod' ? last.object : undefined;
}

/** Has the run ended, or does it go on? */
export function isOver(run: RecordedRun): boolean {
  if (run.transitions.some(({ type, object }) => object.kind === 'Pod' && type === 'DELETED')) return true;
  return isTerminalPhase(lastStateOf(run)?.status.phase);
}
