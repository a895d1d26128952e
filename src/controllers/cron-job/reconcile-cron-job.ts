import {
  type CronJobStatus,
  type CronSchedule,
  finishedCondition,
  formatTime,
  type ObjectReference,
  parseSchedule,
  parseTime,
  Zone,
} from '../../api/index.ts';
import { createAction, deleteAction, eventAction, statusActions } from '../base/actions.ts';
import { hasDeletionTimestamp, isControlledBy } from '../base/ownership.ts';
import type {
  ControllerAction,
  ControllerEvent,
  ReconcileMoment,
  Reconciliation,
  StoredCronJob,
  StoredJob,
} from '../base/reconcile.ts';
import {
  createdJob,
  deletedJob,
  failedJobCreate,
  failedJobDelete,
  jobAlreadyActive,
  missedSchedule,
  missingJob,
  sawCompletedJob,
  tooManyMissedTimes,
  unexpectedJob,
  unknownTimeZone,
  unparseableSchedule,
} from '../texts/job.ts';
import { COMPONENT } from '../texts/pods.ts';
import { expiredJobs, scheduledJob, scheduledName, scheduledTimeOf } from './cron-job-jobs.ts';
import { hasMissedMany, missedTimes, nextLookMs } from './missed-times.ts';

/** Jobs of the namespace, and the machine's time zone. */
export interface CronJobInput extends ReconcileMoment {
  readonly jobs: readonly StoredJob[];
  /** The zone of CronJobs that name none: an IANA name. */
  readonly timeZone: () => string;
}

/**
 * One sync of a CronJob: takes note of its Jobs, cleans up its history, and makes the Job whose time has come. A Job
 * that was made is noted in the next stage, when it has a uid. Source: pkg/controller/cronjob/cronjob_controllerv2.go
 * sync, syncCronJob.
 */
export function reconcileCronJob(cronJob: StoredCronJob, input: CronJobInput): Reconciliation {
  if (input.failure !== undefined) {
    const { type, error } = input.failure;
    return { actions: [tell(cronJob, type === 'create' ? failedJobCreate(error) : failedJobDelete(error))] };
  }
  const jobs = input.jobs.filter((job) => isControlledBy(job, cronJob));
  const noted = noteJobs(cronJob, jobs);
  const cleaned = removals(cronJob, expiredJobs(cronJob, jobs));
  const written = statusActions(cronJob, noted.status);
  if (written.length > 0 || cleaned.length > 0) return { actions: [...cleaned, ...written, ...noted.actions] };
  if (hasDeletionTimestamp(cronJob) || cronJob.spec.suspend === true) return { actions: noted.actions };
  const next = startNext(cronJob, jobs, input);
  return { ...next, actions: [...noted.actions, ...next.actions] };
}

const tell = (cronJob: StoredCronJob, event: ControllerEvent): ControllerAction =>
  eventAction(cronJob, COMPONENT.cronJob, event);

function removals(cronJob: StoredCronJob, jobs: readonly StoredJob[]): ControllerAction[] {
  const living = jobs.filter((job) => !hasDeletionTimestamp(job));
  return living.flatMap((job) => [deleteAction(job), tell(cronJob, deletedJob(job.metadata.name))]);
}

/** The status with the Jobs that run, and what there is to tell of them. */
function noteJobs(
  cronJob: StoredCronJob,
  jobs: readonly StoredJob[],
): { readonly status: CronJobStatus; readonly actions: ControllerAction[] } {
  const { status = {} } = cronJob;
  const listed = status.active ?? [];
  const find = ({ uid }: ObjectReference): StoredJob | undefined => jobs.find(({ metadata }) => metadata.uid === uid);
  const isListed = ({ metadata }: StoredJob): boolean => listed.some(({ uid }) => uid === metadata.uid);
  const endOf = ({ status: ended = {} }: StoredJob): string | undefined => finishedCondition(ended)?.type;
  const running = jobs.filter((job) => endOf(job) === undefined && !isListed(job));
  const added = running.filter((job) => scheduledTimeOf(cronJob, job) !== undefined);
  // A Job that made room for the new one is no surprise.
  const isReplaced = cronJob.spec.concurrencyPolicy === 'Replace' && added.length > 0;
  const gone = isReplaced ? [] : listed.filter((reference) => find(reference) === undefined);
  const ended = jobs.filter((job) => isListed(job) && endOf(job) !== undefined);
  const events = [
    ...gone.map(({ name = '' }) => missingJob(name)),
    ...ended.map((job) => sawCompletedJob(job.metadata.name, endOf(job) ?? '')),
    ...running.filter((job) => !added.includes(job)).map(({ metadata }) => unexpectedJob(metadata.name)),
  ];
  const kept = listed.filter((reference) => {
    const job = find(reference);
    return job !== undefined && endOf(job) === undefined;
  });
  const active = [...kept, ...added.map(jobReference)];
  return {
    status: {
      ...status,
      active: active.length === 0 ? undefined : active,
      ...latest(
        'lastScheduleTime',
        status,
        jobs.map((job) => scheduledTimeOf(cronJob, job)),
      ),
      ...latest('lastSuccessfulTime', status, jobs.map(completionTimeOf)),
    },
    actions: events.map((event) => tell(cronJob, event)),
  };
}

function jobReference({ apiVersion, kind, metadata }: StoredJob): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { kind, namespace, name, uid, apiVersion, resourceVersion };
}

function completionTimeOf({ status }: StoredJob): number | undefined {
  return status?.completionTime ? parseTime(status.completionTime) : undefined;
}

/** A time of the status that only moves forward. */
function latest(
  field: 'lastScheduleTime' | 'lastSuccessfulTime',
  status: CronJobStatus,
  times: readonly (number | undefined)[],
): Partial<CronJobStatus> {
  const newest = Math.max(...times.filter((time) => time !== undefined), Number.NEGATIVE_INFINITY);
  const known = status[field] ? parseTime(status[field]) : Number.NEGATIVE_INFINITY;
  return newest > known ? { [field]: formatTime(newest) } : {};
}

function startNext(cronJob: StoredCronJob, jobs: readonly StoredJob[], input: CronJobInput): Reconciliation {
  const { spec } = cronJob;
  const timeZone = spec.timeZone ?? input.timeZone();
  const zone = zoneOf(timeZone);
  if (zone === undefined) return { actions: [tell(cronJob, unknownTimeZone(timeZone))] };
  const schedule = parseSchedule(spec.schedule);
  if ('problem' in schedule) return { actions: [tell(cronJob, unparseableSchedule(spec.schedule, schedule.problem))] };
  const nowMs = input.now.wallMs;
  const lookAgainAtMs = nextLookMs(schedule, zone, earliestOf(cronJob), nowMs);
  return { actions: dueActions(cronJob, jobs, { schedule, zone, nowMs }), lookAgainAtMs };
}

interface Due {
  readonly schedule: CronSchedule;
  readonly zone: Zone;
  readonly nowMs: number;
}

function dueActions(
  cronJob: StoredCronJob,
  jobs: readonly StoredJob[],
  { schedule, zone, nowMs }: Due,
): ControllerAction[] {
  const { startingDeadlineSeconds, concurrencyPolicy } = cronJob.spec;
  const { active = [], lastScheduleTime } = cronJob.status ?? {};
  const deadlineMs = startingDeadlineSeconds === undefined ? undefined : startingDeadlineSeconds * 1000;
  const earliestMs = Math.max(earliestOf(cronJob), deadlineMs === undefined ? 0 : nowMs - deadlineMs);
  const missed = missedTimes(schedule, zone, earliestMs, nowMs);
  const { latestMs } = missed;
  const warnings = hasMissedMany(missed) ? [tell(cronJob, tooManyMissedTimes())] : [];
  if (latestMs === undefined) return warnings;
  if (deadlineMs !== undefined && latestMs + deadlineMs < nowMs)
    return [...warnings, tell(cronJob, missedSchedule(latestMs))];
  const name = scheduledName(cronJob, latestMs);
  const isStarted = jobs.some(({ metadata }) => metadata.name === name) || active.some((job) => job.name === name);
  if (isStarted || (lastScheduleTime && parseTime(lastScheduleTime) === latestMs)) return warnings;
  if (concurrencyPolicy === 'Forbid' && active.length > 0) return [...warnings, tell(cronJob, jobAlreadyActive())];
  const running = jobs.filter(({ metadata }) => active.some(({ uid }) => uid === metadata.uid));
  return [
    ...warnings,
    ...(concurrencyPolicy === 'Replace' ? removals(cronJob, running) : []),
    createAction(scheduledJob(cronJob, latestMs, zone)),
    tell(cronJob, createdJob(name)),
  ];
}

function earliestOf({ metadata, status }: StoredCronJob): number {
  return parseTime(status?.lastScheduleTime ?? metadata.creationTimestamp);
}

function zoneOf(timeZone: string): Zone | undefined {
  try {
    return new Zone(timeZone);
  } catch {
    return undefined;
  }
}
