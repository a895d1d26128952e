import { ownValue } from './json.ts';
import { type PodrunError, usage } from './errors.ts';
import { goQuote } from '../go/go-quote.ts';

/** Milliseconds in one unit of a Go duration. Like Go, accepts both spellings of micro. */
const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** The longest duration in Go: 2^63 - 1 nanoseconds, about 292 years. */
const LONGEST_MS = 2 ** 63 / 1e6;

const GROUP = /(\d*\.?\d*)([^\d.]*)/y;

/**
 * Parses a Go duration to milliseconds: `10s`, `1m30s`, `1.5h`, `250ms`, `-5s`, `0`. Source: Go's time.ParseDuration.
 * @throws PodrunError (usage) in Go's words, for example `time: invalid duration "x"`
 */
export function parseDuration(text: string): number {
  const unsigned = text.replace(/^[-+]/, '');
  const sign = text.startsWith('-') ? -1 : 1;
  if (unsigned === '0') return 0;
  const quoted = goQuote(text);
  if (unsigned === '') throw usageError(`time: invalid duration ${quoted}`);
  let totalMs = 0;
  GROUP.lastIndex = 0;
  while (GROUP.lastIndex < unsigned.length) {
    const [, digits = '', unit = ''] = GROUP.exec(unsigned) ?? [];
    if (!/\d/.test(digits)) throw usageError(`time: invalid duration ${quoted}`);
    if (unit === '') throw usageError(`time: missing unit in duration ${quoted}`);
    const unitMs = ownValue(UNIT_MS, unit);
    if (unitMs === undefined) throw usageError(`time: unknown unit ${goQuote(unit)} in duration ${quoted}`);
    totalMs += Number(digits) * unitMs;
  }
  if (totalMs >= LONGEST_MS) throw usageError(`time: invalid duration ${quoted}`);
  return sign * totalMs;
}

function usageError(message: string): PodrunError {
  return usage(message);
}

/**
 * Formats a duration as Go does: `0s`, `1.5ms`, `10s`, `1m20s`, `5m0s`, `1h0m0s`. The kubelet's messages contain such
 * texts (`back-off 1m20s restarting …`). Source: Go's time.Duration.String.
 */
export function formatGoDuration(ms: number): string {
  if (ms < 0) return `-${formatGoDuration(-ms)}`;
  const wholeSeconds = Math.trunc(ms / 1000);
  const nanos = Math.round((ms - wholeSeconds * 1000) * 1e6);
  if (nanos === 1e9) return formatGoDuration((wholeSeconds + 1) * 1000);
  if (wholeSeconds === 0) return formatBelowSecond(nanos);
  const hours = Math.trunc(wholeSeconds / 3600);
  const minutes = Math.trunc(wholeSeconds / 60) % 60;
  const seconds = `${decimal(wholeSeconds % 60, nanos, 9)}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

function formatBelowSecond(nanos: number): string {
  if (nanos === 0) return '0s';
  if (nanos < 1e3) return `${nanos}ns`;
  if (nanos < 1e6) return `${decimal(Math.trunc(nanos / 1e3), nanos % 1e3, 3)}µs`;
  return `${decimal(Math.trunc(nanos / 1e6), nanos % 1e6, 6)}ms`;
}

function decimal(whole: number, fraction: number, digits: number): string {
  const text = String(fraction)
    .padStart(digits, '0')
    .replace(/(?<!0)0+$/, '');
  return text === '' ? String(whole) : `${whole}.${text}`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** The format of ages below `belowSeconds`: the larger unit, then the rest in the smaller unit. */
interface AgeRow {
  readonly belowSeconds: number;
  readonly unit: readonly [seconds: number, letter: string];
  readonly rest?: readonly [seconds: number, letter: string];
}

const AGE_ROWS: readonly AgeRow[] = [
  { belowSeconds: 2 * MINUTE, unit: [1, 's'] },
  { belowSeconds: 10 * MINUTE, unit: [MINUTE, 'm'], rest: [1, 's'] },
  { belowSeconds: 3 * HOUR, unit: [MINUTE, 'm'] },
  { belowSeconds: 8 * HOUR, unit: [HOUR, 'h'], rest: [MINUTE, 'm'] },
  { belowSeconds: 2 * DAY, unit: [HOUR, 'h'] },
  { belowSeconds: 8 * DAY, unit: [DAY, 'd'], rest: [HOUR, 'h'] },
  { belowSeconds: 2 * YEAR, unit: [DAY, 'd'] },
  { belowSeconds: 8 * YEAR, unit: [YEAR, 'y'], rest: [DAY, 'd'] },
  { belowSeconds: Number.POSITIVE_INFINITY, unit: [YEAR, 'y'] },
];

/**
 * Formats an age as kubectl does: `5s`, `119s`, `2m`, `9m59s`, `179m`, `7h59m`, `47h`, `7d23h`, `2y1d`. A time more
 * than a second ahead is `<invalid>`. Source: k8s.io/apimachinery/pkg/util/duration.
 */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  const row = AGE_ROWS.find(({ belowSeconds }) => seconds < belowSeconds);
  if (row === undefined) return '<invalid>';
  const [size, letter] = row.unit;
  const text = `${Math.trunc(seconds / size)}${letter}`;
  if (row.rest === undefined) return text;
  const [restSize, restLetter] = row.rest;
  const rest = Math.trunc((seconds % size) / restSize);
  return rest === 0 ? text : `${text}${rest}${restLetter}`;
}
