import type { CronSchedule, ScheduleField } from './schedule.ts';
import type { Zone } from './zone.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** A schedule that is not due in these years never is. */
const YEARS_MAX = 5;

/**
 * The next time after a moment at which a schedule is due, in milliseconds since 1970. Undefined: never. A time of day
 * that the change to summer time leaves out is skipped; one that exists twice is due twice. Source:
 * github.com/robfig/cron/v3, spec.go Next, constantdelay.go Next.
 */
export function nextTime(schedule: CronSchedule, afterMs: number, zone: Zone): number | undefined {
  const wholeMs = Math.floor(afterMs / SECOND_MS) * SECOND_MS;
  if (schedule.type === 'every') return wholeMs + schedule.everyMs;
  const [minutes, hours, days, months, weekdays] = schedule.fields;
  if (minutes === undefined || hours === undefined || days === undefined) return undefined;
  if (months === undefined || weekdays === undefined) return undefined;
  const walk = new Walk(wholeMs + SECOND_MS, zone);
  const lastYear = zone.at(walk.ms).year + YEARS_MAX;
  for (;;) {
    const now = zone.at(walk.ms);
    if (now.year > lastYear) return undefined;
    if (!months.values.has(now.month)) walk.toNextMonth();
    else if (!isDay(days, weekdays, now.day, now.weekday)) walk.toNextDay();
    else if (!hours.values.has(now.hour)) walk.toNextHour();
    else if (!minutes.values.has(now.minute)) walk.toNextMinute();
    else if (now.second !== 0) walk.toNextMinute();
    else return walk.ms;
  }
}

/** True on a matching day. When both fields of days are restricted, either is enough. */
function isDay(days: ScheduleField, weekdays: ScheduleField, day: number, weekday: number): boolean {
  const [matchesDay, matchesWeekday] = [days.values.has(day), weekdays.values.has(weekday)];
  return days.isAny || weekdays.isAny ? matchesDay && matchesWeekday : matchesDay || matchesWeekday;
}

/** A moment that goes forward to the beginning of the next month, day, hour or minute. */
class Walk {
  ms: number;
  readonly #zone: Zone;

  constructor(ms: number, zone: Zone) {
    this.ms = ms;
    this.#zone = zone;
  }

  toNextMonth(): void {
    const { year, month } = this.#zone.at(this.ms);
    this.ms = this.#zone.moment({ year, month: month + 1, day: 1, hour: 0 });
  }

  /** Goes to the begin of the next day: after a midnight that does not exist, or at the first of two. */
  toNextDay(): void {
    const { year, month, day } = this.#zone.at(this.ms);
    this.ms = this.#zone.moment({ year, month, day: day + 1, hour: 0 });
    const { hour } = this.#zone.at(this.ms);
    if (hour > 12) this.ms += (24 - hour) * HOUR_MS;
    else if (hour > 0) this.ms -= hour * HOUR_MS;
  }

  toNextHour(): void {
    const { minute, second } = this.#zone.at(this.ms);
    this.ms += HOUR_MS - minute * MINUTE_MS - second * SECOND_MS;
  }

  toNextMinute(): void {
    this.ms = (Math.floor(this.ms / MINUTE_MS) + 1) * MINUTE_MS;
  }
}
