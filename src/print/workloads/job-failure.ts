import { endsIn } from '../../history/index.ts';
import { POD_FAILURE_POLICY, type StoredJob, type StoredPod, trueCondition } from '../../api/index.ts';
import { timestampMs } from '../base/age.ts';
import { describeExitCode } from '../base/exit-code.ts';
import { containersOf } from '../base/pod-container.ts';

/**
 * The reason why a Job has failed: `BackoffLimitExceeded, 2 Pods failed (last: exit code 3)`. Undefined for a Job that
 * has not.
 * @param pods the Job's, as far as they are known
 */
export function jobFailure({ status = {} }: StoredJob, pods: readonly StoredPod[]): string | undefined {
  const condition = trueCondition(status, 'Failed') ?? trueCondition(status, 'FailureTarget');
  if (condition === undefined) return undefined;
  const { reason = 'Failed', message } = condition;
  // The status counts a Pod a moment after it failed.
  const failed = Math.max(status.failed ?? 0, pods.filter((pod) => pod.status.phase === 'Failed').length);
  const last = lastExitCode(pods);
  const count = failed === 0 ? '' : `, ${failed} ${failed === 1 ? 'Pod' : 'Pods'} failed`;
  const code = last === undefined ? '' : ` (last: ${describeExitCode(last)})`;
  // Only a rule of the policy has a message that says more than its reason.
  return reason === POD_FAILURE_POLICY ? `${reason}: ${message ?? ''}` : `${reason}${count}${code}`;
}

/** The exit code of the container that failed last, in any of the Pods. */
function lastExitCode(pods: readonly StoredPod[]): number | undefined {
  const ends = pods
    .flatMap(containersOf)
    .flatMap(({ role, status }) => {
      const ended = endsIn(status).at(-1)?.terminated;
      return role === 'ephemeral' || ended === undefined || ended.exitCode === 0 ? [] : [ended];
    })
    .toSorted((a, b) => (timestampMs(a.finishedAt) ?? 0) - (timestampMs(b.finishedAt) ?? 0));
  return ends.at(-1)?.exitCode;
}
