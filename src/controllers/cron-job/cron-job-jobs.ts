import { finishedCondition, formatTime, parseTime, type Zone } from '../../api/index.ts';
import { controllerReference } from '../base/ownership.ts';
import type { NewObject, StoredCronJob, StoredJob } from '../base/reconcile.ts';

/** The time for which a Job was made. Source: pkg/apis/batch/types.go CronJobScheduledTimestampAnnotation. */
const SCHEDULED = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

const MINUTE_MS = 60_000;

/**
 * Jobs are named by the minute, so there is at most one for each. Source: pkg/controller/cronjob/utils.go getJobName.
 */
export function scheduledName({ metadata }: StoredCronJob, scheduledMs: number): string {
  return `${metadata.name}-${Math.floor(scheduledMs / MINUTE_MS)}`;
}

/** The time for which this controller created a Job. Undefined: a user or a program created it. */
export function scheduledTimeOf(cronJob: StoredCronJob, { metadata }: StoredJob): number | undefined {
  const scheduledMs = parseTime(metadata.annotations?.[SCHEDULED] ?? '');
  return metadata.name === scheduledName(cronJob, scheduledMs) ? scheduledMs : undefined;
}

/** A Job of the template. Source: pkg/controller/cronjob/utils.go getJobFromTemplate2. */
export function scheduledJob(cronJob: StoredCronJob, scheduledMs: number, zone: Zone): NewObject {
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const { labels } = metadata ?? {};
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: scheduledName(cronJob, scheduledMs),
      namespace: cronJob.metadata.namespace,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...metadata?.annotations, [SCHEDULED]: zonedText(scheduledMs, zone) },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec,
  };
}

/** A whole second in RFC 3339, with the offset of the zone. */
function zonedText(ms: number, zone: Zone): string {
  const offsetMs = zone.offsetMs(ms);
  const local = formatTime(ms + offsetMs).slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
  if (offsetMs === 0) return `${local}Z`;
  const minutes = Math.abs(offsetMs) / MINUTE_MS;
  const [hour, minute] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${local}${offsetMs < 0 ? '-' : '+'}${hour}:${minute}`;
}

/**
 * Finished Jobs beyond the limits of the history, the oldest first. Source: cronjob_controllerv2.go
 * cleanupFinishedJobs.
 */
export function expiredJobs({ spec }: StoredCronJob, jobs: readonly StoredJob[]): StoredJob[] {
  const surplus = (type: string, limit: number | undefined): StoredJob[] => {
    const ended = jobs.filter(({ status }) => finishedCondition(status ?? {})?.type === type);
    return limit === undefined ? [] : ended.toSorted(byStart).slice(0, Math.max(0, ended.length - limit));
  };
  return [...surplus('Complete', spec.successfulJobsHistoryLimit), ...surplus('Failed', spec.failedJobsHistoryLimit)];
}

function byStart(a: StoredJob, b: StoredJob): number {
  const left = a.status?.startTime ?? '';
  const right = b.status?.startTime ?? '';
  if (left !== right) return left < right ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
