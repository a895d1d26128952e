import type { Inside } from '../base/inside.ts';
import type { Limited } from '../base/limited.ts';
import type { ProcessPipes } from '../pipes/process-pipes.ts';
import { CONTAINER_MARKER } from '../watch/process-table.ts';
import type { ContainerLaunch } from '../base/runtime.ts';
import { spawnLeader, type SpawnOutcome } from './spawn.ts';
import { whyNotLoadable } from './start-checks.ts';
import { execveFailed, isForkError } from './start-errors.ts';

/** The inside and the limits of a container's processes. */
export interface SpawnContext {
  readonly inside: Inside;
  readonly limited: Limited;
}

export interface MainSpawned {
  readonly spawned: SpawnOutcome;
  /** The command line of the started process: the tools, then the program, see StartupWatch. */
  readonly commandLine: readonly string[];
}

/**
 * Starts the main process. When execve(2) refuses the program (the interpreter of a script is missing, the arguments
 * are too long, …), a node's container has already started: its process, runc itself up to that point, writes the
 * reason to stderr and exits with 1 (runc 1.1; 255 since 1.2). A stand-in does the same here.
 */
export async function spawnMain(
  launch: ContainerLaunch,
  file: string,
  { stdio }: ProcessPipes,
  inside: Inside,
): Promise<MainSpawned> {
  const { argv, cwd, id } = launch;
  const marker = { [CONTAINER_MARKER]: id };
  const errno = whyNotLoadable(file, cwd, (path) => inside.pathOf(path));
  const call = { file, argv, cwd, env: { ...launch.env, ...marker } };
  const started = inside.enter(call);
  const spawned: SpawnOutcome =
    errno === undefined ? await spawnLeader({ ...started, stdio: [...stdio] }) : { ok: false, errno };
  if (spawned.ok || isForkError(spawned.errno)) return { spawned, commandLine: started.argv };
  const standIn = ['sh', '-c', 'printf "%s\\n" "$0" >&2; exit 1', execveFailed(file, spawned.errno)] as const;
  const stoodIn = await spawnLeader({ file: '/bin/sh', argv: [...standIn], cwd: '/', env: marker, stdio: [...stdio] });
  return { spawned: stoodIn, commandLine: argv };
}
