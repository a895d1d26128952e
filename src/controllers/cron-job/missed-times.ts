import { nextTime } from '../../api/cron/next-time.ts';
import type { CronSchedule } from '../../api/cron/schedule.ts';
import type { Zone } from '../../api/cron/zone.ts';

const MANY_MISSED = 100;
/** The controller looks a little after the time, to be sure that it has come. Source: nextScheduleDelta. */
const DELTA_MS = 100;

/** The latest time at which a CronJob was due, and how many times it was. */
export interface MissedTimes {
  /** Undefined: it has not been due since. */
  readonly latestMs: number | undefined;
  readonly hasMissedMany: boolean;
}

/**
 * The latest time after `earliestMs` that has come. Earlier ones are forgotten: it looks for them only as far back as
 * needed. Source: pkg/controller/cronjob/utils.go mostRecentScheduleTime.
 */
export function missedTimes(schedule: CronSchedule, zone: Zone, earliestMs: number, nowMs: number): MissedTimes {
  const none = { latestMs: undefined, hasMissedMany: false };
  const firstMs = nextTime(schedule, earliestMs, zone);
  if (firstMs === undefined || nowMs < firstMs) return none;
  const secondMs = nextTime(schedule, firstMs, zone);
  if (secondMs === undefined || nowMs < secondMs) return { latestMs: firstMs, hasMissedMany: false };
  const periodMs = secondMs - firstMs;
  const missed = Math.floor((nowMs - firstMs) / periodMs) + 1;
  let latestMs: number | undefined;
  let ms = nextTime(schedule, firstMs + (missed - 2) * periodMs, zone);
  while (ms !== undefined && ms <= nowMs) {
    latestMs = ms;
    ms = nextTime(schedule, ms, zone);
  }
  return { latestMs: latestMs ?? firstMs, hasMissedMany: missed > MANY_MISSED };
}

/** The time of the next look. Undefined: the schedule never comes. Source: utils.go nextScheduleTimeDuration. */
export function nextLookMs(schedule: CronSchedule, zone: Zone, earliestMs: number, nowMs: number): number | undefined {
  const { latestMs } = missedTimes(schedule, zone, earliestMs, nowMs);
  const next = nextTime(schedule, latestMs ?? earliestMs, zone);
  return next === undefined ? undefined : next + DELTA_MS;
}
