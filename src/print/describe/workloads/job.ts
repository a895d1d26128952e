import { humanDuration, type JobSpec, selectorText, type StoredCronJob, type StoredJob } from '../../../api/index.ts';
import { formatDate, timestampMs } from '../../base/age.ts';
import { flagText } from '../../table/workload-columns.ts';
import { describeAnnotations, describeController, describeIdentity, describeLabels, line, optional } from '../lines.ts';
import { describeTemplate } from '../pod-template.ts';

/** The lines of `describe` about a Job, without its events. Source: describe.go, describeJob. */
export function describeJob(job: StoredJob): string[] {
  const { metadata, spec, status } = job;
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Namespace:', metadata.namespace),
    line(0, 'Selector:', selectorText(spec.selector)),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
    ...describeController(job),
    ...optional('Parallelism:', spec.parallelism),
    line(0, 'Completions:', orUnset(spec.completions)),
    ...optional('Completion Mode:', spec.completionMode),
    ...optional('Suspend:', spec.suspend === undefined ? undefined : String(spec.suspend)),
    ...optional('Backoff Limit:', spec.backoffLimit),
    ...optional('TTL Seconds After Finished:', spec.ttlSecondsAfterFinished),
    ...describeTimes(job),
    ...describeDeadline(spec),
    line(0, 'Pods Statuses:', podsStatuses(job)),
    ...(spec.completionMode === 'Indexed'
      ? [line(0, 'Completed Indexes:', cutIndexes(status?.completedIndexes ?? ''))]
      : []),
    ...describeTemplate(spec.template),
  ];
}

function describeTimes({ status }: StoredJob): string[] {
  const { startTime, completionTime } = status ?? {};
  const [startMs, endMs] = [timestampMs(startTime), timestampMs(completionTime)];
  return [
    ...(startMs === undefined ? [] : [line(0, 'Start Time:', formatDate(startTime))]),
    ...(endMs === undefined ? [] : [line(0, 'Completed At:', formatDate(completionTime))]),
    ...(startMs === undefined || endMs === undefined ? [] : [line(0, 'Duration:', humanDuration(endMs - startMs))]),
  ];
}

function describeDeadline({ activeDeadlineSeconds: seconds }: Partial<JobSpec>): string[] {
  return seconds === undefined ? [] : [line(0, 'Active Deadline Seconds:', `${seconds}s`)];
}

/** The counts of Pods. `ready` is missing before the first sync of the Job. */
function podsStatuses({ status }: StoredJob): string {
  const { active = 0, ready, succeeded = 0, failed = 0 } = status ?? {};
  const readyText = ready === undefined ? '' : ` (${ready} Ready)`;
  return `${active} Active${readyText} / ${succeeded} Succeeded / ${failed} Failed`;
}

/** The length from which a list of indexes is cut, at its next comma. */
const INDEXES_MAX = 50;

function cutIndexes(indexes: string): string {
  const end = indexes.indexOf(',', INDEXES_MAX);
  return end < 0 ? indexes || '<none>' : `${indexes.slice(0, end + 1)}...`;
}

/** The lines of `describe` about a CronJob, without its events. Source: describe.go, describeCronJob. */
export function describeCronJob(cronJob: StoredCronJob): string[] {
  const { spec, status } = cronJob;
  const job: Partial<JobSpec> = spec.jobTemplate.spec ?? {};
  const starting = spec.startingDeadlineSeconds;
  return [
    ...describeIdentity(cronJob),
    line(0, 'Schedule:', spec.schedule),
    line(0, 'Concurrency Policy:', spec.concurrencyPolicy ?? ''),
    line(0, 'Suspend:', flagText(spec.suspend)),
    line(0, 'Time Zone:', orUnset(spec.timeZone)),
    line(0, 'Successful Job History Limit:', orUnset(spec.successfulJobsHistoryLimit)),
    line(0, 'Failed Job History Limit:', orUnset(spec.failedJobsHistoryLimit)),
    line(0, 'Starting Deadline Seconds:', starting === undefined ? '<unset>' : `${starting}s`),
    line(0, 'Selector:', job.selector === undefined ? '<unset>' : selectorText(job.selector)),
    line(0, 'Parallelism:', orUnset(job.parallelism)),
    line(0, 'Completions:', orUnset(job.completions)),
    ...describeDeadline(job),
    ...describeTemplate(job.template),
    line(0, 'Last Schedule Time:', status?.lastScheduleTime ? formatDate(status.lastScheduleTime) : '<unset>'),
    line(0, 'Active Jobs:', (status?.active ?? []).map(({ name }) => name ?? '').join(', ') || '<none>'),
  ];
}

function orUnset(value: string | number | undefined): string {
  return value === undefined ? '<unset>' : String(value);
}
