import {
  type ContainerStatus,
  parseTime,
  type PodFailurePolicy,
  type PodFailurePolicyOnExitCodesRequirement,
  type PodFailurePolicyRule,
  type StoredPod,
} from '../../api/index.ts';
import type { BackOffLimits } from '../../lifecycle/index.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
import { readyConditionOf } from '../base/pod-state.ts';
import { type JobReason, matchedCondition, matchedExitCode } from '../texts/job.ts';

/** The meaning of a failed Pod by the policy of its Job. */
interface FailureVerdict {
  /** The action of the rule that matched. Undefined: none did. */
  readonly action?: PodFailurePolicyRule['action'];
  /** With FailJob: the reason why the Job fails. */
  readonly failure?: JobReason;
}

/**
 * The first rule that matches a failed Pod. Source: pkg/controller/job/pod_failure_policy.go matchPodFailurePolicy.
 */
export function failureVerdict(policy: PodFailurePolicy | undefined, pod: StoredPod): FailureVerdict {
  const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
  for (const [index, { action, onExitCodes, onPodConditions = [] }] of (policy?.rules ?? []).entries()) {
    if (onExitCodes !== undefined) {
      const container = containerMatching(pod, onExitCodes);
      const exitCode = container?.state?.terminated?.exitCode ?? 0;
      if (container !== undefined) return { action, failure: matchedExitCode(name, container.name, exitCode, index) };
    } else {
      const match = onPodConditions.find((pattern) => hasCondition(pod, pattern.type, pattern.status ?? 'True'));
      if (match !== undefined) return { action, failure: matchedCondition(name, match.type, index) };
    }
  }
  return {};
}

/** True when a failed Pod counts as a failure of its Job. */
export function countsAsFailure(policy: PodFailurePolicy | undefined, pod: StoredPod): boolean {
  return failureVerdict(policy, pod).action !== 'Ignore';
}

/** The first container that ended with a code that the rule means: regular containers first. */
function containerMatching(
  { status }: StoredPod,
  { containerName, operator, values }: PodFailurePolicyOnExitCodesRequirement,
): ContainerStatus | undefined {
  const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  return all.find(({ name, state }) => {
    const exitCode = state?.terminated?.exitCode ?? 0;
    if (exitCode === 0 || (containerName !== undefined && name !== containerName)) return false;
    return values.includes(exitCode) === (operator === 'In');
  });
}

function hasCondition({ status }: StoredPod, type: string, wanted: string): boolean {
  return (status.conditions ?? []).some((condition) => condition.type === type && condition.status === wanted);
}

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
