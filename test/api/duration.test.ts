import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatGoDuration, humanDuration, parseDuration } from '../../src/api/base/duration.ts';
import { PodrunError } from '../../src/api/base/errors.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('parseDuration()', () => {
  it.each([
    ['0', 0],
    ['10s', 10 * SECOND],
    ['1m30s', 90 * SECOND],
    ['1h', HOUR],
    ['1.5h', 90 * MINUTE],
    ['.5s', 500],
    ['5.s', 5 * SECOND],
    ['250ms', 250],
    ['5us', 0.005],
    ['5µs', 0.005],
    ['5μs', 0.005],
    ['1ns', 1e-6],
    ['-5s', -5 * SECOND],
    ['+5s', 5 * SECOND],
    ['1s1s', 2 * SECOND],
    ['2540400h10m10s', 2540400 * HOUR + 10 * MINUTE + 10 * SECOND],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBeCloseTo(ms, 6);
  });

  it.each([
    ['', 'time: invalid duration ""'],
    ['x', 'time: invalid duration "x"'],
    ['-', 'time: invalid duration "-"'],
    ['.s', 'time: invalid duration ".s"'],
    ['1.2.3s', 'time: missing unit in duration "1.2.3s"'],
    ['3', 'time: missing unit in duration "3"'],
    ['1m3', 'time: missing unit in duration "1m3"'],
    ['5d', 'time: unknown unit "d" in duration "5d"'],
    ['5 s', 'time: unknown unit " s" in duration "5 s"'],
    ['1toString', 'time: unknown unit "toString" in duration "1toString"'],
    ['2562048h', 'time: invalid duration "2562048h"'],
  ])('refuses %j in the words of Go', (text, message) => {
    expect(() => parseDuration(text)).toThrow(new PodrunError('Usage', message));
  });
});

describe('formatGoDuration()', () => {
  it.each([
    [0, '0s'],
    [1e-6, '1ns'],
    [0.0011, '1.1µs'],
    [2.2, '2.2ms'],
    [500, '500ms'],
    [10 * SECOND, '10s'],
    [80 * SECOND, '1m20s'],
    [160 * SECOND, '2m40s'],
    [5 * MINUTE, '5m0s'],
    [HOUR, '1h0m0s'],
    [1500, '1.5s'],
    [5 * MINUTE + 1, '5m0.001s'],
    [-90 * SECOND, '-1m30s'],
    [999.9999999, '1s'],
  ])('prints %d ms as %s', (ms, text) => {
    expect(formatGoDuration(ms)).toBe(text);
  });

  it('prints texts that parseDuration() reads', () => {
    const milliseconds = fc.integer({ min: 0, max: 10 * 365 * DAY });
    fc.assert(
      fc.property(milliseconds, (ms) => {
        expect(parseDuration(formatGoDuration(ms))).toBeCloseTo(ms, 2);
      }),
    );
  });
});

describe('humanDuration()', () => {
  it.each([
    [-2 * SECOND, '<invalid>'],
    [-1.9 * SECOND, '0s'],
    [-0.5 * SECOND, '0s'],
    [0, '0s'],
    [1999, '1s'],
    [119.9 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [2 * MINUTE + SECOND, '2m1s'],
    [10 * MINUTE - SECOND, '9m59s'],
    [10 * MINUTE, '10m'],
    [3 * HOUR - SECOND, '179m'],
    [3 * HOUR, '3h'],
    [8 * HOUR - SECOND, '7h59m'],
    [8 * HOUR, '8h'],
    [2 * DAY - SECOND, '47h'],
    [2 * DAY, '2d'],
    [8 * DAY - SECOND, '7d23h'],
    [8 * DAY, '8d'],
    [730 * DAY - SECOND, '729d'],
    [730 * DAY, '2y'],
    [731 * DAY, '2y1d'],
    [2920 * DAY - SECOND, '7y364d'],
    [2920 * DAY, '8y'],
    [100 * 365 * DAY, '100y'],
    [Number.NaN, '<invalid>'],
  ])('shows %d ms as %s', (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });

  it('never shows an older thing as younger, and is off by less than a tenth or so', () => {
    const unitMs: Record<string, number> = { y: 365 * DAY, d: DAY, h: HOUR, m: MINUTE, s: SECOND };
    const shownMs = (text: string): number =>
      [...text.matchAll(/(\d+)([ydhms])/g)].reduce(
        (sum, [, count, unit]) => sum + Number(count) * unitMs[unit ?? '']!,
        0,
      );
    const age = fc.integer({ min: 0, max: 20 * 365 * DAY });
    fc.assert(
      fc.property(age, age, (a, b) => {
        const [younger, older] = a < b ? [a, b] : [b, a];
        expect(shownMs(humanDuration(younger))).toBeLessThanOrEqual(shownMs(humanDuration(older)));
        expect(older - shownMs(humanDuration(older))).toBeLessThan(Math.max(SECOND, older / 8));
      }),
    );
  });
});
