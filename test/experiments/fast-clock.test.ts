import { describe, expect, it } from 'vitest';
import { machineClock } from '../../src/clock.ts';
import { FastClock } from '../../src/experiments/fast-clock.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

describe('FastClock', () => {
  it('begins in the present, and passes faster: a minute of it is a minute in timestamps', () => {
    const machine = new ManualClock();
    machine.advance(5000);
    const clock = new FastClock(machine, 60);
    expect(clock.now()).toEqual(machine.now());
    const before = clock.now();
    machine.advance(1000);
    const after = clock.now();
    expect(after.monotonicMs - before.monotonicMs).toBe(60_000);
    expect(after.wallMs - before.wallMs).toBe(60_000);
  });

  it('rings alarms in its own time, and never early', () => {
    const machine = new ManualClock();
    const clock = new FastClock(machine, 7);
    const rung: number[] = [];
    const dueMs = clock.now().monotonicMs + 10_000 / 3;
    clock.wakeAt(dueMs, () => rung.push(clock.now().monotonicMs));
    machine.advance(400);
    expect(rung).toEqual([]);
    machine.advance(100);
    expect(rung).toHaveLength(1);
    expect(rung[0]).toBeGreaterThanOrEqual(dueMs);
  });

  it('cancels alarms, and knows the clock of the machine for waits for programs', () => {
    const machine = new ManualClock();
    const clock = new FastClock(machine, 60);
    clock.wakeAt(1000, () => expect.unreachable()).cancel();
    expect(machine.alarmCount).toBe(0);
    expect(machineClock(clock)).toBe(machine);
    expect(machineClock(machine)).toBe(machine);
  });

  it('jumps on the wall alone', () => {
    const clock = new FastClock(new ManualClock(), 1);
    const before = clock.now();
    clock.jumpWall(3_600_000);
    expect(clock.now()).toEqual({ monotonicMs: before.monotonicMs, wallMs: before.wallMs + 3_600_000 });
  });
});
