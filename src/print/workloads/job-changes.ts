import { POD_FAILURE_POLICY, type StoredJob, type StoredPod, trueCondition } from '../../api/index.ts';
import { endsIn } from '../../history/index.ts';
import { briefDuration, timestampMs } from '../base/age.ts';
import { describeExitCode } from '../base/exit-code.ts';
import { containersOf } from '../base/pod-container.ts';
import type { Change } from '../live/transition.ts';
import { progressText } from './progress.ts';

/** The changes of a Job: its end, its progress in ten steps at most, and each failure. */
export function jobChanges(previous: StoredJob, next: StoredJob, pods: readonly StoredPod[]): Change[] {
  const end = endOf(next, pods);
  if (end !== undefined) return endOf(previous, pods) === undefined ? [end] : [];
  return [...suspension(previous, next), ...progress(previous, next)];
}

function endOf(job: StoredJob, pods: readonly StoredPod[]): Change | undefined {
  const { status = {} } = job;
  if (trueCondition(status, 'Complete') !== undefined) {
    return { kind: 'condition', text: `Complete, ${doneText(job)}`, tone: 'good' };
  }
  if (trueCondition(status, 'Failed') === undefined) return undefined;
  return { kind: 'condition', text: 'Failed', why: jobFailure(job, pods), tone: 'bad' };
}

/** The text `5/5 in 2.3s`. */
function doneText({ spec, status = {} }: StoredJob): string {
  const { succeeded = 0, startTime, completionTime } = status;
  const [fromMs, toMs] = [timestampMs(startTime), timestampMs(completionTime)];
  const count = `${succeeded}/${spec.completions ?? succeeded}`;
  return fromMs === undefined || toMs === undefined ? count : `${count} in ${briefDuration(toMs - fromMs)}`;
}

function suspension({ spec: before }: StoredJob, next: StoredJob): Change[] {
  const isSuspended = next.spec.suspend === true;
  if ((before.suspend === true) === isSuspended) return [];
  return [{ kind: 'change', text: isSuspended ? 'suspended' : 'resumed', tone: 'info' }];
}

/** More steps than these would hide the lines about Pods. */
const STEPS_MAX = 10;

function progress(previous: StoredJob, next: StoredJob): Change[] {
  const hasFailed = (next.status?.failed ?? 0) > (previous.status?.failed ?? 0);
  // The line about its end tells of the last Pod.
  const isDone = next.status?.succeeded === next.spec.completions;
  if (!hasFailed && (isDone || stepOf(previous) === stepOf(next))) return [];
  return [{ kind: 'condition', text: progressText(next), tone: hasFailed ? 'info' : 'muted' }];
}

function stepOf({ spec, status }: StoredJob): number {
  const { succeeded = 0 } = status ?? {};
  const { completions = 1 } = spec;
  return completions <= STEPS_MAX ? succeeded : Math.floor((succeeded * STEPS_MAX) / completions);
}

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
