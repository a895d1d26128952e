import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { PodrunError } from '../api/errors.ts';
import { resourceFolder, stateRoot } from '../store/layout.ts';
import type { LostPod } from '../store/pod-records.ts';
import { note } from './preferences.ts';

/** Commands that show or change what is on record. The others are not about it, or see to lost Pods themselves. */
const CONCERNED: ReadonlySet<string> = new Set([
  ...'get describe logs probes advise events history diff expect top wait'.split(' '),
  ...'exec attach debug patch label annotate condition'.split(' '),
]);

/**
 * Before a command: Pods whose podrun was killed are put on record as what became of them, and a line says so. Where
 * that cannot be written, the command shows them as Unknown.
 */
export async function reportLostPods(stateDir: string | undefined, command: string): Promise<void> {
  if (!CONCERNED.has(command)) return;
  const root = stateRoot({ flag: stateDir, env: process.env, home: homedir() });
  if (!existsSync(resourceFolder(root, 'pods'))) return;
  const [{ openStore }, { SystemClock }] = await Promise.all([import('./environment.ts'), import('../clock.ts')]);
  const clock = new SystemClock();
  try {
    const store = openStore(stateDir, clock);
    // Another background agent goes on with the Pods of one that is gone.
    const isMeant = ({ agent }: LostPod): boolean => agent === undefined;
    if (!store.lostPods().some(isMeant)) return;
    const { closeLostRuns } = await import('../agent/clean-up/lost-runs.ts');
    await closeLostRuns(store, clock, note, isMeant);
  } catch (error) {
    // The command itself tells of trouble with the store in its own words, if it minds.
    if (!(error instanceof PodrunError)) throw error;
  }
}
