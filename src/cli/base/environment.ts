import path from 'node:path';
import { homeFolder } from '../../user.ts';
import { parseTime, usage } from '../../api/index.ts';
import { localProcesses, memoryMounts } from '../../runtime/index.ts';
import { FileStore, lastWrittenMs, memoryMountPoints, protectStateFolder, stateRoot } from '../../store/index.ts';
import type { Cli } from './cli.ts';

/**
 * Opens the store in the folder of --state-dir, of $PODRUN_STATE_DIR, or in the default folder.
 * @param context the context of a cluster: what ran there has a folder of its own
 * @throws {PodrunError} when every user may replace the files of that folder
 */
export function openStore(cli: Cli, context?: string): FileStore {
  const home = homeFolder();
  const own = stateRoot({ flag: cli.flags.stateDir, env: cli.env, home, pathOf: cli.pathOf });
  const root = context === undefined ? own : path.join(own, 'contexts', encodeURIComponent(context));
  cli.detail(`state folder ${root} (${rootSource(cli)})`);
  protectStateFolder(root, home);
  const places = memoryMountPoints(cli.env, process.getuid?.());
  return new FileStore({ root, clock: cli.clock, processes: localProcesses, memoryMountPoints: places, memoryMounts });
}

/** The setting that names the state folder, for messages. */
function rootSource({ env, flags }: Cli): string {
  if (flags.stateDir) return '--state-dir';
  if (env['PODRUN_STATE_DIR']) return '$PODRUN_STATE_DIR';
  return env['XDG_STATE_HOME'] ? '$XDG_STATE_HOME' : 'the default';
}

/**
 * The time that ages in tables count to, milliseconds since 1970: $PODRUN_NOW (RFC 3339), which makes output
 * reproducible, else the present, or the last change of the objects if that is later.
 */
export function displayNowMs(
  { env, clock }: Pick<Cli, 'env' | 'clock'>,
  objects: Parameters<typeof lastWrittenMs>[0] = [],
): number {
  const fixed = env['PODRUN_NOW'];
  if (!fixed) return Math.max(clock.now().wallMs, lastWrittenMs(objects));
  const nowMs = parseTime(fixed);
  if (!Number.isNaN(nowMs)) return nowMs;
  throw usage(`PODRUN_NOW is no RFC 3339 time: ${JSON.stringify(fixed)}`, 'Write it as 2026-01-15T12:00:00Z.');
}

/** The command line of the user, without the program, for messages. */
export function calledCommand({ line }: Cli): string {
  return line.argv.join(' ');
}
