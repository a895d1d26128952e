import { type CronSchedule, nextTime, type Zone } from '../../api/index.ts';

const MANY_MISSED = 100;
/** The controller looks a little after the time, to be sure that it has come. Source: nextScheduleDelta. */
const DELTA_MS = 100;

/** The latest time at which a CronJob was due, and how many times it was, roughly. */
export interface MissedTimes {
  /** Undefined: it has not been due, or the rough count led to a pause of the schedule. */
  readonly latestMs: number | undefined;
  readonly count: number;
}

/**
 * The latest time after `earliestMs` that has come. Earlier ones are forgotten: the first two times tell how often it
 * was due, and only the last of these times are looked at. Source: pkg/controller/cronjob/utils.go
 * mostRecentScheduleTime.
 */
export function missedTimes(schedule: CronSchedule, zone: Zone, earliestMs: number, nowMs: number): MissedTimes {
  const firstMs = nextTime(schedule, earliestMs, zone);
  if (firstMs === undefined || nowMs < firstMs) return { latestMs: undefined, count: 0 };
  const secondMs = nextTime(schedule, firstMs, zone);
  if (secondMs === undefined || nowMs < secondMs) return { latestMs: firstMs, count: 1 };
  const periodMs = secondMs - firstMs;
  const count = Math.floor((nowMs - firstMs) / periodMs) + 1;
  let latestMs: number | undefined;
  let ms = nextTime(schedule, firstMs + (count - 2) * periodMs, zone);
  while (ms !== undefined && ms <= nowMs) {
    latestMs = ms;
    ms = nextTime(schedule, ms, zone);
  }
  return { latestMs, count };
}

/** True when a CronJob has been due so often that something is wrong. */
export function hasMissedMany({ count }: MissedTimes): boolean {
  return count > MANY_MISSED;
}

/** The time of the next look. Undefined: the schedule never comes. Source: utils.go nextScheduleTimeDuration. */
export function nextLookMs(schedule: CronSchedule, zone: Zone, earliestMs: number, nowMs: number): number | undefined {
  const { latestMs, count } = missedTimes(schedule, zone, earliestMs, nowMs);
  const next = nextTime(schedule, latestMs ?? (count === 0 ? earliestMs : nowMs), zone);
  return next === undefined ? undefined : next + DELTA_MS;
}
