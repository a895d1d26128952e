import { parseTime } from '../../../../src/api/base/time.ts';
import type { StoredCronJob, StoredJob } from '../../../../src/controllers/base/reconcile.ts';
import type { ObjectEntry, WorkloadEntry } from '../workload-entry.ts';
import { isCreation, type WorkloadPast } from '../workload-past.ts';
import type { AnyObject } from '../workload-simulation.ts';

const SCHEDULED = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

const cronJobOf = ({ lastRoot }: WorkloadPast): StoredCronJob => lastRoot as unknown as StoredCronJob;
const jobsOf = (past: WorkloadPast): StoredJob[] => past.all('Job') as unknown[] as StoredJob[];
const scheduledMs = ({ metadata }: Pick<AnyObject, 'metadata'>): number =>
  parseTime(metadata.annotations?.[SCHEDULED] ?? '');
const endOf = ({ status }: StoredJob): string | undefined =>
  status?.conditions?.find(({ type, status: value }) => value === 'True' && (type === 'Complete' || type === 'Failed'))
    ?.type;

/** Jobs that neither have ended nor are being deleted. */
const running = (past: WorkloadPast): StoredJob[] =>
  jobsOf(past).filter((job) => endOf(job) === undefined && job.metadata.deletionTimestamp === undefined);

export function jobsRunSideBySideOnlyIfTheyMay(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (!isCreation(entry, 'Job')) return undefined;
  const { concurrencyPolicy, suspend } = cronJobOf(past).spec;
  if (suspend === true) return `${entry.object.metadata.name} of a suspended CronJob`;
  const count = running(past).length;
  return concurrencyPolicy !== 'Allow' && count > 1 ? `${count} Jobs with ${concurrencyPolicy}` : undefined;
}

/** No time is run twice, unless a client deletes its Job; none out of order, none too early, none too late. */
export function eachTimeHasOneJob(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (!isCreation(entry, 'Job')) return undefined;
  const { startingDeadlineSeconds = Infinity } = cronJobOf(past).spec;
  const ms = scheduledMs(entry.object);
  const latenessMs = entry.wallMs - ms;
  if (!(latenessMs >= 0 && latenessMs <= startingDeadlineSeconds * 1000)) return `${latenessMs} ms late`;
  const earlier = past.entries.slice(0, -1).filter((one) => isCreation(one, 'Job'));
  const isDeleted = ({ type, isByClient = false, object }: Partial<ObjectEntry>): boolean =>
    type === 'object' && isByClient && object?.metadata.name === entry.object.metadata.name;
  if (past.entries.some((one) => isDeleted(one as Partial<ObjectEntry>))) return undefined;
  const last = Math.max(0, ...earlier.map(({ object }) => scheduledMs(object)));
  return ms > last ? undefined : `${entry.object.metadata.name} after one for ${new Date(last).toISOString()}`;
}

export function theLastTimeNeverFalls(entry: WorkloadEntry): string | undefined {
  if (entry.type !== 'object' || entry.object.kind !== 'CronJob') return undefined;
  const timeOf = (object: AnyObject | undefined): string =>
    (object?.status?.['lastScheduleTime'] as string | undefined) ?? '';
  return timeOf(entry.object) < timeOf(entry.before) ? `${timeOf(entry.before)} to ${timeOf(entry.object)}` : undefined;
}

/** The Jobs that it lists are the ones that run, and of the ended ones it keeps as many as it is to. */
export function cronJobsRestWithTheirHistory(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (entry.type !== 'rest' || !past.isKept) return undefined;
  const { spec, status } = cronJobOf(past);
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = spec;
  const count = (type: string): number => jobsOf(past).filter((job) => endOf(job) === type).length;
  if (count('Complete') > successfulJobsHistoryLimit) return `${count('Complete')} complete Jobs`;
  if (count('Failed') > failedJobsHistoryLimit) return `${count('Failed')} failed Jobs`;
  const listed = (status?.active ?? []).map(({ name }) => name);
  return listed.length === running(past).length ? undefined : `active: ${listed.join()}`;
}
