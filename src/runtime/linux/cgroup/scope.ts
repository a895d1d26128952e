import { existsSync } from 'node:fs';
import path from 'node:path';
import { startInForeground } from '../../helpers/command.ts';
import { findSetpriv } from '../../start/setpriv.ts';

/** The facts that decide whether podrun asks systemd for its own cgroup. */
export interface ScopeFacts {
  readonly platform: string;
  readonly isRoot: boolean;
  /** True when podrun can set limits already. */
  readonly canLimit: boolean;
  /** True when standard input has been read, which cannot be repeated. */
  readonly hasReadInput: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True when the path exists. */
  readonly exists: (path: string) => boolean;
}

/** The variable that is set inside a scope, where podrun does not ask for another one. */
const INSIDE = 'PODRUN_SCOPE';

/**
 * True when podrun should start itself again in a delegated scope of systemd. An ordinary user's systemd has the
 * controllers and delegates them on request; login sessions get none.
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
  readonly cwd: string;
  readonly interactive: boolean;
  /** Registers a function that passes podrun's signals on to the command. */
  readonly onSignal: (forward: (signal: NodeJS.Signals) => void) => void;
}

/**
 * Runs this podrun again in a scope, where that makes limits possible, and returns its exit code. Undefined: this
 * process continues, because it needs no scope or systemd gives none.
 */
export async function runInScope({
  facts,
  argv,
  cwd,
  interactive,
  onSignal,
}: ScopeRequest): Promise<number | undefined> {
  if (!wantsScope({ ...facts, platform: process.platform, exists: existsSync })) return undefined;
  const env = { ...facts.env, [INSIDE]: '1' };
  const silent = ['sh', '-c', 'exec "$@" >/dev/null 2>&1', 'sh'] as const;
  const trial = await startInForeground({ argv: [...silent, ...SCOPE, 'true'], env, cwd, interactive });
  if (!trial.ok || (await trial.command.exitCode) !== 0) return undefined;
  // The command must not outlive this process, which stands for it.
  const setpriv = findSetpriv();
  const [program, ...rest] = [...(setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL']), ...SCOPE, ...argv];
  const started = await startInForeground({ argv: [program ?? '', ...rest], env, cwd, interactive });
  if (!started.ok) return undefined;
  onSignal((signal) => started.command.forward(signal));
  return started.command.exitCode;
}
