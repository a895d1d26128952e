import { describe, expect, it } from 'vitest';
import { SystemClock } from '../src/clock.ts';

describe('SystemClock', () => {
  // Node counts a timer from the start of the turn of its event loop.
  it('never rings before the time, also when it was set late in a long lap', async () => {
    const clock = new SystemClock();
    for (let busyMs = 0; busyMs < 10; busyMs++) {
      const until = clock.now().monotonicMs + busyMs;
      while (clock.now().monotonicMs < until);
      const dueMs = clock.now().monotonicMs + 12;
      const rangMs = await new Promise<number>((resolve) => {
        clock.wakeAt(dueMs, () => resolve(clock.now().monotonicMs));
      });
      expect(rangMs).toBeGreaterThanOrEqual(dueMs);
    }
  });

  it('rings only once, and not when it was cancelled', async () => {
    const clock = new SystemClock();
    const rung: string[] = [];
    const { monotonicMs } = clock.now();
    clock.wakeAt(monotonicMs + 5, () => rung.push('cancelled')).cancel();
    clock.wakeAt(monotonicMs, () => rung.push('past'));
    await new Promise<void>((resolve) => {
      clock.wakeAt(monotonicMs + 10, resolve);
    });
    expect(rung).toEqual(['past']);
  });
});
