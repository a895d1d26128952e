import { type StoredJob, type StoredPod, trueCondition } from '../../api/index.ts';
import { briefDuration, timestampMs } from '../base/age.ts';
import type { Change } from '../live/transition.ts';
import { jobFailure } from './job-failure.ts';
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
