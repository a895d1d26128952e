import { homedir } from 'node:os';
import { usage } from '../api/errors.ts';
import { parseTime } from '../api/time.ts';
import type { Clock } from '../clock.ts';
import { localProcesses } from '../runtime/watch/process-identity.ts';
import { FileStore } from '../store/file-store.ts';
import { protectStateFolder } from '../store/state-folder.ts';
import { detail } from './preferences.ts';
import { memoryMountPoints, stateRoot } from '../store/layout.ts';

/**
 * Opens the store in the folder of --state-dir, of $PODRUN_STATE_DIR, or in the default folder.
 * @throws {PodrunError} when every user may replace the files of that folder
 */
export function openStore(stateDir: string | undefined, clock: Clock): FileStore {
  const home = homedir();
  const root = stateRoot({ flag: stateDir, env: process.env, home });
  detail(`state folder ${root} (${rootSource(stateDir)})`);
  protectStateFolder(root, home);
  const places = memoryMountPoints(process.env, process.getuid?.());
  return new FileStore({ root, clock, processes: localProcesses, memoryMountPoints: places });
}

/** The setting that names the state folder, for messages. */
function rootSource(stateDir: string | undefined): string {
  if (stateDir) return '--state-dir';
  if (process.env['PODRUN_STATE_DIR']) return '$PODRUN_STATE_DIR';
  return process.env['XDG_STATE_HOME'] ? '$XDG_STATE_HOME' : 'the usual one';
}

/**
 * The time that ages in tables count to, milliseconds since 1970: $PODRUN_NOW (RFC 3339), which makes output
 * reproducible, else the present.
 */
export function displayNowMs(clock: Clock): number {
  const fixed = process.env['PODRUN_NOW'];
  if (!fixed) return clock.now().wallMs;
  const nowMs = parseTime(fixed);
  if (!Number.isNaN(nowMs)) return nowMs;
  throw usage(`PODRUN_NOW is no RFC 3339 time: ${JSON.stringify(fixed)}`, 'Write it as 2026-01-15T12:00:00Z.');
}

/** The command line of the user, without the program, for messages. */
export function calledCommand(): string {
  return process.argv.slice(2).join(' ');
}
