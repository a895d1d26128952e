import type { StoredCronJob } from '../../api/workloads/stored-workloads.ts';
import type { Change } from '../live/transition.ts';
import { nextRun } from './next-run.ts';

interface CronMoment {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly timeZone: () => string;
}

/** The first line about a CronJob: `next run at 12:05:00`. */
export function nextRunText(cronJob: StoredCronJob, { atMs, timeZone }: CronMoment): string {
  if (cronJob.spec.suspend === true) return 'suspended';
  const next = nextRun(cronJob, atMs, timeZone());
  return next === undefined ? 'its schedule never comes' : `next run at ${next}`;
}

/** The changes of a CronJob: each run tells of the next one. */
export function cronJobChanges(previous: StoredCronJob, next: StoredCronJob, moment: CronMoment): Change[] {
  const isSame = previous.spec.suspend === next.spec.suspend && previous.spec.schedule === next.spec.schedule;
  if (isSame && previous.status?.lastScheduleTime === next.status?.lastScheduleTime) return [];
  return [{ kind: 'change', text: nextRunText(next, moment), tone: 'muted' }];
}
