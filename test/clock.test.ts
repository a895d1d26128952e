import { stat } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SystemClock, Turns } from '../src/clock.ts';

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

describe('Turns', () => {
  /**
   * Lets parts run that take 4 ms each. The result has their order, with a bar between turns of the event loop. Two are
   * behind the first parts: requests are read between them.
   */
  async function inTurns(put: (turns: Turns, part: (name: string) => () => void) => void): Promise<string> {
    let nowMs = 0;
    const seen: string[] = [];
    const turns = new Turns(() => nowMs);
    const part = (name: string) => () => {
      nowMs += 4;
      seen.push(name);
    };
    put(turns, part);
    for (let turn = 0; turn < 6; turn++) {
      seen.push('|');
      await new Promise((resolve) => void setImmediate(resolve));
    }
    return seen.join('').replace(/\|+$/, '');
  }

  it('runs parts until ten milliseconds are over, and the rest in later turns of the event loop', async () => {
    const parts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    expect(await inTurns((turns, part) => parts.forEach((name) => turns.run(part(name))))).toBe('abc||def|gh');
  });

  it('after a callback for input or output, what else is due comes before the next parts', async () => {
    const seen = await new Promise<readonly string[]>((resolve) => {
      stat(import.meta.filename, () => {
        const done: string[] = [];
        let nowMs = 0;
        const turns = new Turns(() => nowMs);
        turns.run(() => (nowMs += 20));
        turns.run(() => resolve([...done, 'part']));
        setTimeout(() => done.push('timer'), 1);
        for (const untilMs = performance.now() + 3; performance.now() < untilMs;);
      });
    });
    expect(seen).toEqual(['timer', 'part']);
  });

  it('a part behind one that waits has its turn after that', async () => {
    const late = inTurns((turns, part) => {
      for (const name of 'abcdefg') turns.run(part(name));
      setImmediate(() => turns.run(part('h')));
    });
    expect(await late).toBe('abc||def|gh');
  });

  it('counts what a part does in promises that wait for nothing', async () => {
    const chained = inTurns((turns, part) => {
      for (const name of 'abcd') turns.run(part(name));
      for (const name of 'xyz') {
        const goOn = async (): Promise<void> => {
          await Promise.resolve();
          part(name)();
          await Promise.resolve();
          part(name)();
        };
        turns.run(() => void goOn());
      }
    });
    expect(await chained).toBe('abc||dxx|yyzz');
  });
});
