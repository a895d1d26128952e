import { type Clock, sleep } from '../../clock.ts';

/** The period of the looks for the parent, milliseconds. */
const PARENT_MS = 500;

/** Resolves when the process that has started this one is gone. */
export async function parentGone(clock: Clock): Promise<void> {
  const parent = process.ppid;
  while (process.ppid === parent) await sleep(clock, PARENT_MS);
}
