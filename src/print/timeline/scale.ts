import { formatGoDuration } from '../../api/index.ts';

/** Usual distances between ticks, in milliseconds. */
const STEPS_MS: readonly number[] = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 6, 12, 24, 48, 96, 168].map((hours) => hours * 3_600_000),
];

/** The ticks of an axis that begins at 0: at most `ticksMax`, at round times. */
export function ticksMs(lengthMs: number, ticksMax: number): number[] {
  const wanted = lengthMs / Math.max(1, ticksMax);
  const step = STEPS_MS.find((stepMs) => stepMs >= wanted) ?? Math.ceil(wanted / 604_800_000) * 604_800_000;
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, index) => index * step);
}

/** The label of a tick: `0s`, `250ms`, `1.5s`, `2m`, `1m30s`, `1h`. */
export function tickLabel(ms: number): string {
  return ms === 0
    ? '0s'
    : formatGoDuration(ms)
        .replace(/(m)0s$/, '$1')
        .replace(/(h)0m$/, '$1');
}

/** Formats a duration in a list, with hundredths of a second: `0.03s`, `12.50s`, `2m5s`. */
export function stepDuration(ms: number): string {
  return ms < 60_000 ? `${(ms / 1000).toFixed(2)}s` : formatGoDuration(Math.round(ms / 1000) * 1000);
}
