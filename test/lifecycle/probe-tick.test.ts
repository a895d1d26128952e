import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tickMs } from '../../src/lifecycle/probes/probe.ts';

describe('tickMs()', () => {
  it('is the first tick after one moment and not before another', () => {
    const ms = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(ms, fc.integer({ min: 1, max: 20 }), ms, ms, (originMs, seconds, afterMs, notBeforeMs) => {
        const periodMs = seconds * 1000;
        const tick = tickMs({ originMs, periodMs }, afterMs, notBeforeMs);
        // In JavaScript -0 and 0 differ.
        expect(Math.abs((tick - originMs) % periodMs)).toBe(0);
        expect(tick).toBeGreaterThan(afterMs);
        expect(tick).toBeGreaterThanOrEqual(notBeforeMs);
        expect(tick - periodMs > afterMs && tick - periodMs >= notBeforeMs).toBe(false);
      }),
    );
  });

  it('knows no delay when there is none', () => {
    expect(tickMs({ originMs: 5, periodMs: 1000 }, 5, Number.NEGATIVE_INFINITY)).toBe(1005);
  });
});
