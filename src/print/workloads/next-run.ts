import { nextTime } from '../../api/cron/next-time.ts';
import { parseSchedule } from '../../api/cron/schedule.ts';
import { isTimeZone, Zone } from '../../api/cron/zone.ts';
import type { StoredCronJob } from '../../api/workloads/stored-workloads.ts';
import { missedTimes } from '../../controllers/index.ts';
import { timestampMs } from '../age.ts';

/**
 * The next time at which a CronJob is due, as text in its own time zone: `12:05:00`, with the day if it is not today,
 * and with the zone if it is not that of the machine. Undefined for a schedule that never comes.
 * @param machineZone the zone of CronJobs that name none: an IANA name
 */
export function nextRun(cronJob: StoredCronJob, nowMs: number, machineZone: string): string | undefined {
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
  // The Swedish form is that of ISO 8601.
  const [date = '', time = ''] = new Date(ms).toLocaleString('sv-SE', { timeZone }).split(' ');
  return { date, time };
}
