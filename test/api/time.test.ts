import { describe, expect, it } from 'vitest';
import { formatTime, parseTime } from '../../src/api/base/time.ts';

describe('formatTime', () => {
  it('writes times in any order, to the microsecond', () => {
    const second = Date.parse('2026-11-20T20:01:02Z');
    expect(formatTime(second + 999.999)).toBe('2026-11-20T20:01:02.999999Z');
    expect(formatTime(second + 999.9998)).toBe('2026-11-20T20:01:03.000000Z');
    expect(formatTime(second + 0.001)).toBe('2026-11-20T20:01:02.000001Z');
    expect(formatTime(second - 0.001)).toBe('2026-11-20T20:01:01.999999Z');
    expect(formatTime(-1)).toBe('1969-12-31T23:59:59.999000Z');
  });

  it('is read back without a change', () => {
    for (const wallMs of [0, 1, 999.999, 1000, 1_800_000_000_000.125]) {
      expect(parseTime(formatTime(wallMs))).toBe(wallMs);
    }
  });
});
