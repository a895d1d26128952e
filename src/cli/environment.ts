import { homedir } from 'node:os';
import type { Clock } from '../clock.ts';
import { bootId, startTimeOf } from '../runtime/process-identity.ts';
import { FileStore } from '../store/file-store.ts';
import { stateRoot } from '../store/layout.ts';

/** Opens the store that the user means: --state-dir, $PODRUN_STATE_DIR, or the usual folder. */
export function openStore(stateDir: string | undefined, clock: Clock): FileStore {
  const root = stateRoot({ flag: stateDir, env: process.env, home: homedir() });
  return new FileStore({ root, clock, processes: { startTimeOf, bootId } });
}
