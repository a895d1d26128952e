import { formatGoDuration, humanDuration, parseTime } from '../../api/index.ts';

/** The age of a timestamp as kubectl shows it. `<unknown>` without a timestamp. */
export function ageSince(timestamp: string | undefined | null, nowMs: number): string {
  const atMs = timestampMs(timestamp);
  return atMs === undefined ? '<unknown>' : humanDuration(nowMs - atMs);
}

/** Milliseconds since 1970 of an object's timestamp. Undefined for a missing timestamp, null or any other text. */
export function timestampMs(timestamp: string | undefined | null): number | undefined {
  // Objects from a file or a server contain null for unset times.
  const atMs = timestamp ? parseTime(timestamp) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** Formats a duration with about three digits: `4ms`, `320ms`, `1.32s`, `1m20s`. */
export function briefDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`;
  return formatGoDuration(ms < 60_000 ? Math.round(ms / 10) * 10 : Math.round(ms / 1000) * 1000);
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * A date as `describe` shows it: RFC 1123 with a numeric zone, in the reader's zone, for example
 * `Thu, 15 Jan 2026 11:59:11 +0000`. A missing time is Go's zero time.
 */
export function formatDate(timestamp: string | undefined | null): string {
  const atMs = timestampMs(timestamp);
  if (atMs === undefined) return 'Mon, 01 Jan 0001 00:00:00 +0000';
  const date = new Date(atMs);
  const day = `${DAYS[date.getDay()]}, ${twoDigits(date.getDate())} ${MONTHS[date.getMonth()]} ${date.getFullYear()}`;
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
  return `${day} ${clock} ${formatZone(-date.getTimezoneOffset())}`;
}

/** The distance of a zone from UTC: `+0530`. */
export function formatZone(offsetMinutes: number): string {
  const minutes = Math.abs(offsetMinutes);
  return `${offsetMinutes < 0 ? '-' : '+'}${twoDigits(Math.trunc(minutes / 60))}${twoDigits(minutes % 60)}`;
}

export function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
