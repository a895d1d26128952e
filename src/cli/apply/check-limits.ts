import type { ConfigFile } from '../../agent/config/config-file.ts';
import type { StoredPod } from '../../api/objects.ts';
import { limitsRefused, openLimits } from '../../run/open-limits.ts';
import type { ApplyFlags } from './apply-flags.ts';
import { listenForSignals } from './signals.ts';
import type { Clock } from '../../clock.ts';
import { runInScope } from '../../runtime/cgroup/scope.ts';

/**
 * Makes sure, before anything is started, that limits of Pods hold as far as they can: with --strict it is an error
 * when they do not. Answers an exit code where another podrun did all there is to do, in a place where they hold.
 * @throws {PodrunError} (usage) with --strict
 */
export async function checkLimits(
  pods: readonly StoredPod[],
  flags: ApplyFlags,
  config: ConfigFile | undefined,
  clock: Clock,
): Promise<number | undefined> {
  const open = await openLimits(pods, config?.podPidsLimit, flags.enforceMemory === 'poll');
  if (open === undefined) return undefined;
  const exitCode = await runInScope({
    facts: {
      isRoot: process.getuid?.() === 0,
      canLimit: open.length === 0,
      hasReadInput: flags.filename.includes('-'),
      env: process.env,
    },
    argv: [process.execPath, ...process.execArgv, ...process.argv.slice(1)],
    interactive: process.stdin.isTTY,
    onSignal: (forward) => void listenForSignals(clock, forward),
  });
  if (exitCode !== undefined) return exitCode;
  if (!flags.strict || open.length === 0) return undefined;
  throw limitsRefused(open);
}
