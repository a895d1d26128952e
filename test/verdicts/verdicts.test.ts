import { describe, expect, it } from 'vitest';
import { workshopFor } from '../cli/workshop.ts';
import { isRest } from '../rest.ts';
import { type Door, DOORS } from './doors.ts';
import { SITUATIONS } from './situations.ts';

/** `npm test` tries `apply`. The other doors start a program or a server of their own for each situation. */
const { apply: _, ...others } = DOORS;
const TRIED: readonly Door[] = isRest ? (Object.keys(others) as Door[]) : ['apply'];

describe.concurrent.each(TRIED)('the verdict of %s:', (door) => {
  const rows = Object.entries(SITUATIONS).flatMap(([name, situation]) => {
    const difference = situation.differs?.[door];
    const want = difference === undefined ? situation.want : difference.want;
    return want === undefined ? [] : [{ name, situation, want }];
  });

  it.for(rows)('$name', async ({ situation, want }, context) => {
    const workshop = workshopFor(context, { leavesPods: door === 'detach' });
    const seen = await DOORS[door](workshop, situation);
    expect(seen).toMatchObject({ exitCode: want.exitCode });
    // One line is about the cause, and none is there without one.
    expect(seen.errors.filter((line) => want.error?.test(line) !== true)).toEqual([]);
    expect(seen.errors.length > 0).toBe(want.error !== undefined);
    expect(seen.stdout).toContain(want.says ?? '');
    const { failed, isAnnotated = want.error !== undefined } = seen;
    const wantFailed = failed === undefined ? [] : (want.failed ?? []);
    expect(wantFailed.filter((name) => failed?.some((each) => name.test(each)) !== true)).toEqual([]);
    expect(want.exitCode === 0 ? (failed ?? []) : []).toEqual([]);
    // GitHub shows an error exactly when the step fails because of an object.
    expect(isAnnotated).toBe(want.error !== undefined);
    const looks = door === 'detach' ? (situation.wait ?? []) : [];
    for (const { args, exitCode, error } of looks) {
      const waited = await workshop.run(['wait', ...args]);
      expect({ args, exitCode: waited.exitCode }).toEqual({ args, exitCode });
      expect(waited.stderr).toMatch(error ?? /(?:)/);
    }
  });
});
