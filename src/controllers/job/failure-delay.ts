import { parseTime, type StoredPod } from '../../api/index.ts';
import type { BackOffLimits } from '../../lifecycle/index.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
import { readyConditionOf } from '../base/pod-state.ts';

/** The delay of new Pods after failures. Source of all rules here: pkg/controller/job/backoff_utils.go. */

/** The delays of a cluster. Source: job_controller.go DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff. */
export const JOB_BACKOFF: BackOffLimits = { initialMs: 10_000, maxMs: 600_000 };

/** The delay after the end of the last failed Pod, in milliseconds. Source: getRemainingTimeForFailuresCount. */
export function failureDelayMs(failures: number, { initialMs, maxMs }: BackOffLimits): number {
  return failures === 0 ? 0 : Math.min(maxMs, initialMs * 2 ** Math.min(failures - 1, 30));
}

/**
 * The time from which a Job may make Pods again. 0: no Pod has failed since the last success.
 * Source: newBackoffRecord, getRemainingTime.
 */
export function delayedUntilMs(
  failed: readonly StoredPod[],
  succeeded: readonly StoredPod[],
  limits: BackOffLimits,
): number {
  if (failed.length === 0) return 0;
  const lastSuccessMs = Math.max(0, ...succeeded.map(finishedAtMs));
  const failures = failed.map(finishedAtMs).filter((time) => time > lastSuccessMs);
  return failures.length === 0 ? 0 : Math.max(...failures) + failureDelayMs(failures.length, limits);
}

/**
 * The time at which a Pod ended: the end of its last container, else the moment when it was no longer ready, else the
 * moment when it was deleted. Source: getFinishedTime.
 */
export function finishedAtMs(pod: StoredPod): number {
  return (
    containersFinishedMs(pod) ??
    (readyConditionOf(pod)?.status === 'False' ? timeOf(readyConditionOf(pod)?.lastTransitionTime) : undefined) ??
    deletionRequestedMs(pod) ??
    parseTime(pod.metadata.creationTimestamp)
  );
}

function containersFinishedMs({ status }: StoredPod): number | undefined {
  const times = (status.containerStatuses ?? []).map(({ state }) => timeOf(state?.terminated?.finishedAt));
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 || known.length < times.length ? undefined : Math.max(...known);
}

/** The deletion timestamp is the end of the grace period. */
function deletionRequestedMs(pod: StoredPod): number | undefined {
  if (!hasDeletionTimestamp(pod)) return undefined;
  const endMs = timeOf(pod.metadata.deletionTimestamp);
  return endMs === undefined ? undefined : endMs - (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
}

function timeOf(text: string | null | undefined): number | undefined {
  const time = parseTime(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}
