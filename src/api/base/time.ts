/** One moment, read from both clocks of the machine. */
export interface Instant {
  /** Milliseconds of a stopwatch that never jumps: durations, deadlines, back-off. */
  readonly monotonicMs: number;
  /** Milliseconds since 1970 in UTC, with microseconds as the fraction: timestamps for people. May jump. */
  readonly wallMs: number;
}

// Caches the text of the last second: most formatted times are close to now.
let known = { second: Number.NaN, text: '' };

/** Formats a time in RFC 3339 with microseconds, for example `2026-11-20T20:01:02.123456Z`. */
export function formatTime(wallMs: number): string {
  const micros = Math.round(wallMs * 1000);
  const second = Math.floor(micros / 1e6);
  if (second !== known.second) known = { second, text: new Date(second * 1000).toISOString().slice(0, -'000Z'.length) };
  return `${known.text}${String(micros - second * 1e6).padStart(6, '0')}Z`;
}

/** Parses an RFC 3339 time to milliseconds since 1970, with microseconds as the fraction. NaN for any other text. */
export function parseTime(text: string): number {
  const match = /^(.*:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/.exec(text);
  if (match === null) return Number.NaN;
  const [, seconds, fraction = '', zone] = match;
  return Date.parse(`${seconds}${zone}`) + Math.round(Number(`0${fraction}`) * 1e6) / 1000;
}

/** A time in whole seconds, as the API server writes most of them: `2026-01-15T12:00:00Z`. */
export function formatSeconds(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, -'.000Z'.length)}Z`;
}
