import { parseTime, type StoredPod } from '../../api/index.ts';

/**
 * The delay between deletions of failed Pods. Source: pkg/controller/daemon/daemon_controller.go, failedPodsBackoff.
 */
const INITIAL_MS = 1000;
const MAX_MS = 15 * 60_000;
/** After this pause the delay begins anew. Source: client-go flowcontrol/backoff.go hasExpired. */
const RESET_MS = 2 * MAX_MS;

/**
 * The time from which the next failed Pod may be deleted: each deletion doubles the delay.
 * @param removed Pods of the DaemonSet that are gone, as far as the loop saw them
 */
export function killableFromMs(removed: readonly StoredPod[]): number {
  const failed = removed.filter(({ status }) => status.phase === 'Failed');
  const times = failed.map(({ metadata }) => parseTime(metadata.deletionTimestamp ?? '')).filter((time) => time > 0);
  const newestFirst = times.toSorted((a, b) => b - a);
  const pause = newestFirst.findIndex((time, index) => time - (newestFirst[index + 1] ?? 0) > RESET_MS);
  const kills = pause + 1;
  return kills === 0 ? 0 : (newestFirst[0] ?? 0) + Math.min(MAX_MS, INITIAL_MS * 2 ** Math.min(kills - 1, 20));
}
