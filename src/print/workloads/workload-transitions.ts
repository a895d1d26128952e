import type { StoredPod } from '../../api/objects.ts';
import type { Workload } from '../../api/workloads/stored-workloads.ts';
import { conditionOf } from '../table/pod-status.ts';
import type { Change, Transition } from '../live/transition.ts';
import { cronJobChanges, nextRunText } from './cron-job-changes.ts';
import { jobChanges } from './job-changes.ts';
import { podCounts, progressText, revisionNumber } from './progress.ts';
import { serverChanges } from './server-changes.ts';

/** The surroundings of a change of a workload. */
export interface WorkloadMoment {
  /** The time at which the change was seen, milliseconds since 1970. */
  readonly atMs: number;
  /** The Pods of the workload. */
  readonly pods: readonly StoredPod[];
  /** The time zone of the machine: an IANA name. */
  readonly timeZone: () => string;
}

/**
 * The changes between two consecutive versions of a workload that a person would want to see.
 * @param previous undefined for the first version
 * @param next undefined for a workload that is gone
 */
export function workloadTransitions(
  previous: Workload | undefined,
  next: Workload | undefined,
  moment: WorkloadMoment,
): Transition[] {
  const { kind, metadata } = next ?? previous ?? {};
  const about = { atMs: moment.atMs, pod: metadata?.name ?? '', subject: kind };
  return changesOf(previous, next, moment).map((change) => ({ ...about, ...change }));
}

function changesOf(previous: Workload | undefined, next: Workload | undefined, moment: WorkloadMoment): Change[] {
  if (next === undefined) return [{ kind: 'deletion', text: 'deleted', tone: 'muted' }];
  if (previous === undefined) return [{ kind: 'created', text: firstText(next, moment), tone: 'muted' }];
  const isNewlyDeleted = next.metadata.deletionTimestamp !== undefined && !previous.metadata.deletionTimestamp;
  const deletion: Change[] = isNewlyDeleted ? [{ kind: 'deletion', text: 'Terminating', tone: 'info' }] : [];
  return [...deletion, ...ownChanges(previous, next, moment)];
}

function ownChanges(previous: Workload, next: Workload, moment: WorkloadMoment): Change[] {
  if (next.kind === 'Job') return previous.kind === 'Job' ? jobChanges(previous, next, moment.pods) : [];
  if (next.kind === 'CronJob') return previous.kind === 'CronJob' ? cronJobChanges(previous, next, moment) : [];
  return serverChanges(previous, next);
}

/** The state at the beginning of a run. The status of an earlier run counts Pods that ended with it. */
function firstText(workload: Workload, moment: WorkloadMoment): string {
  if (workload.kind === 'CronJob') return nextRunText(workload, moment);
  if (workload.kind === 'Job') return workload.spec.suspend === true ? 'suspended' : progressText(workload);
  if (workload.kind === 'DaemonSet') return 'rolling out';
  const ready = moment.pods.filter(({ status }) => conditionOf(status, 'Ready')?.status === 'True').length;
  const { wanted = 0 } = podCounts(workload) ?? {};
  const text = `${ready}/${wanted} ready`;
  if (workload.kind !== 'Deployment' || ready === wanted) return text;
  return workload.spec.paused === true
    ? `${text}, paused`
    : `${text}, rolling out revision ${revisionNumber(workload)}`;
}
