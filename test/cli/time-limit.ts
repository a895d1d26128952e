import { vi } from 'vitest';
import { PATIENT } from '../patience.ts';
import type { Surroundings } from './in-process.ts';
import { PassingClock } from './passing-clock.ts';
import type { Ended } from './workshop.ts';

/** The time limit of a command whose time a test lets pass. A rollout without progress has failed after ten minutes. */
export const LIMIT = '5m';
const LIMIT_MS = 300_000;

/**
 * Runs a command with that time limit, which passes as soon as the command has come to a point: no time is long enough
 * for that on a busy machine, and short enough for a test.
 * @param isThere gets the output so far
 */
export async function untilTimeIsUp(
  run: (surroundings: Surroundings) => Promise<Ended>,
  isThere: (shown: string) => boolean | Promise<boolean>,
): Promise<Ended> {
  const clock = new PassingClock();
  let shown = '';
  const ended = run({ clock, onOutput: (text) => void (shown += text) });
  // The output of a command that never comes to the point says why.
  const there = vi.waitUntil(async () => isThere(shown), PATIENT).catch(() => undefined);
  await Promise.race([ended, there]);
  clock.pass(LIMIT_MS);
  return ended;
}
