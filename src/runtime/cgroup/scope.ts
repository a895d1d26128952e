import { existsSync } from 'node:fs';
import path from 'node:path';
import { startCommand } from '../command.ts';
import { findSetpriv } from '../setpriv.ts';

/** What decides whether podrun asks systemd for a cgroup of its own. */
export interface ScopeFacts {
  readonly platform: string;
  readonly isRoot: boolean;
  /** Limits hold already. */
  readonly canLimit: boolean;
  /** The standard input has been read: nobody could read it again. */
  readonly hasReadInput: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Is there something at this path? */
  readonly exists: (path: string) => boolean;
}

/** Set where podrun was started in a scope: there it does not ask for another one. */
const INSIDE = 'PODRUN_SCOPE';

/**
 * Should podrun start itself again in a scope of systemd, which is delegated to it? Where an ordinary user's systemd
 * runs, it has the controllers, and hands them on to who asks; sessions are not given any by themselves.
 * @see systemd-run(1), "Control Group APIs and Delegation" of systemd
 */
export function wantsScope({ platform, isRoot, canLimit, hasReadInput, env, exists }: ScopeFacts): boolean {
  if (platform !== 'linux' || isRoot || canLimit || hasReadInput || env[INSIDE] !== undefined) return false;
  const folder = env['XDG_RUNTIME_DIR'];
  return folder !== undefined && folder !== '' && exists(path.join(folder, 'systemd/private'));
}

const SCOPE = ['systemd-run', '--user', '--scope', '--quiet', '--collect', '-p', 'Delegate=yes', '--'] as const;

export interface ScopeRequest {
  readonly facts: Omit<ScopeFacts, 'exists' | 'platform'>;
  /** The command line of this podrun. */
  readonly argv: readonly string[];
  readonly interactive: boolean;
  /** Signals that podrun gets are handed to the function that this one is given. */
  readonly onSignal: (forward: (signal: NodeJS.Signals) => void) => void;
}

/**
 * Runs this podrun once more, in a scope, where that is the way to limits; answers its exit code. Undefined: it goes on
 * here, because it need not, or because systemd does not want.
 */
export async function runInScope({ facts, argv, interactive, onSignal }: ScopeRequest): Promise<number | undefined> {
  if (!wantsScope({ ...facts, platform: process.platform, exists: existsSync })) return undefined;
  const env = { ...facts.env, [INSIDE]: '1' };
  const cwd = process.cwd();
  const silent = ['sh', '-c', 'exec "$@" >/dev/null 2>&1', 'sh'] as const;
  const trial = await startCommand({ argv: [...silent, ...SCOPE, 'true'], env, cwd, interactive });
  if (!trial.ok || (await trial.command.exitCode) !== 0) return undefined;
  // It must not outlive this process, which stands for it.
  const setpriv = findSetpriv();
  const [program, ...rest] = [...(setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL']), ...SCOPE, ...argv];
  const started = await startCommand({ argv: [program ?? '', ...rest], env, cwd, interactive });
  if (!started.ok) return undefined;
  onSignal((signal) => started.command.forward(signal));
  return started.command.exitCode;
}
