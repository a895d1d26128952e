import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

describe('ManualClock', () => {
  it('rings alarms in the order of their instants, equal ones in the order in which they were set', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { maxLength: 20 }), (instants) => {
        const clock = new ManualClock();
        const rung: { atMs: number; index: number }[] = [];
        for (const [index, atMs] of instants.entries()) {
          clock.wakeAt(atMs, () => rung.push({ atMs: clock.now().monotonicMs, index }));
        }
        clock.advance(20);
        const want = instants.map((atMs, index) => ({ atMs, index })).sort((a, b) => a.atMs - b.atMs);
        expect(rung).toEqual(want);
      }),
    );
  });

  it('reads the list of alarms anew after each: one may set or cancel another', () => {
    const clock = new ManualClock();
    const rung: string[] = [];
    const victim = clock.wakeAt(30, () => rung.push('victim'));
    clock.wakeAt(10, () => {
      victim.cancel();
      clock.wakeAt(20, () => rung.push(`second at ${clock.now().monotonicMs}`));
    });
    clock.advance(100);
    expect(rung).toEqual(['second at 20']);
    expect(clock.now().monotonicMs).toBe(100);
  });

  it('lets promises settle between alarms', async () => {
    const clock = new ManualClock();
    const rung: number[] = [];
    const loop = async (): Promise<void> => {
      for (let lap = 0; lap < 5; lap++) {
        await new Promise<void>((resolve) => {
          clock.wakeAt(clock.now().monotonicMs + 10, resolve);
        });
        rung.push(clock.now().monotonicMs);
      }
    };
    const done = loop();
    await clock.run(1000);
    await done;
    expect(rung).toEqual([10, 20, 30, 40, 50]);
  });

  it('stops at the condition it runs to', async () => {
    const clock = new ManualClock();
    let reached = false;
    clock.wakeAt(40, () => (reached = true));
    clock.wakeAt(50, () => expect.unreachable());
    expect(await clock.runUntil(() => reached, 1000)).toBe(true);
    expect(clock.now().monotonicMs).toBe(40);
    expect(clock.nextAlarmMs).toBe(50);
  });

  it('moves the wall clock along, and alone when it jumps', () => {
    const clock = new ManualClock(5000);
    clock.advance(10);
    clock.jumpWall(-3_600_000);
    expect(clock.now()).toEqual({ monotonicMs: 10, wallMs: 5010 - 3_600_000 });
  });
});
