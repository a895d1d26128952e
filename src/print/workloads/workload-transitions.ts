import {
  isTimeZone,
  nextTime,
  parseSchedule,
  type StoredCronJob,
  type StoredPod,
  type Workload,
  Zone,
} from '../../api/index.ts';
import { conditionOf } from '../table/pod-status.ts';
import type { Change, Transition } from '../live/transition.ts';
import { workloadName } from '../live/live-columns.ts';
import { jobChanges } from './job-changes.ts';
import { podCounts, progressText, revisionNumber } from './progress.ts';
import { serverChanges } from './server-changes.ts';
import { missedTimes } from '../../controllers/index.ts';
import { timestampMs } from '../base/age.ts';

/** The context of a change of a workload. */
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
  const workload = next ?? previous;
  const about = { atMs: moment.atMs, pod: '', subject: workload && workloadName(workload) };
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
  if (workload.spec.paused === true) return `${text}, paused`;
  const { metadata, status } = workload;
  // The number on record is of the template before a change that no controller has seen.
  const isChanged = (metadata.generation ?? 0) > (status?.observedGeneration ?? metadata.generation ?? 0);
  return `${text}, rolling out${isChanged ? '' : ` revision ${revisionNumber(workload)}`}`;
}

interface CronMoment {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly timeZone: () => string;
}

/** The first line about a CronJob: `next run at 12:05:00`. */
function nextRunText(cronJob: StoredCronJob, { atMs, timeZone }: CronMoment): string {
  if (cronJob.spec.suspend === true) return 'suspended';
  const next = nextRun(cronJob, atMs, timeZone());
  return next === undefined ? 'its schedule never comes' : `next run at ${next}`;
}

/** The changes of a CronJob: each run tells of the next one. */
function cronJobChanges(previous: StoredCronJob, next: StoredCronJob, moment: CronMoment): Change[] {
  const isSame = previous.spec.suspend === next.spec.suspend && previous.spec.schedule === next.spec.schedule;
  if (isSame && previous.status?.lastScheduleTime === next.status?.lastScheduleTime) return [];
  return [{ kind: 'change', text: nextRunText(next, moment), tone: 'muted' }];
}

/**
 * The next time at which a CronJob is due, as text in its own time zone: `12:05:00`, with the day if it is not today,
 * and with the zone if the machine has another one. Undefined for a schedule that never comes.
 * @param machineZone the zone of CronJobs that name none: an IANA name
 */
function nextRun(cronJob: StoredCronJob, nowMs: number, machineZone: string): string | undefined {
  const { metadata, spec, status } = cronJob;
  const schedule = parseSchedule(spec.schedule);
  const timeZone = spec.timeZone ?? machineZone;
  if ('problem' in schedule || !isTimeZone(timeZone)) return undefined;
  const zone = new Zone(timeZone);
  const lastMs = timestampMs(status?.lastScheduleTime ?? metadata.creationTimestamp) ?? nowMs;
  // A time that has come already is started now.
  const atMs = nextTime(schedule, missedTimes(schedule, zone, lastMs, nowMs).latestMs ?? lastMs, zone);
  if (atMs === undefined) return undefined;
  const [now, then] = [nowMs, atMs].map((ms) => dateAndTime(ms, timeZone));
  const parts = [now?.date === then?.date ? '' : then?.date, then?.time, timeZone === machineZone ? '' : timeZone];
  return parts.filter(Boolean).join(' ');
}

function dateAndTime(ms: number, timeZone: string): { readonly date: string; readonly time: string } {
  // The Swedish form is the form of ISO 8601.
  const [date = '', time = ''] = new Date(ms).toLocaleString('sv-SE', { timeZone }).split(' ');
  return { date, time };
}
