import type { ConfigFile } from '../../settings/config/config-file.ts';
import { limitsRefused, openLimits } from '../../engine/setup/open-limits.ts';
import type { PlannedPod } from '../../engine/setup/planned-pods.ts';
import { runInScope } from '../../runtime/linux/cgroup/scope.ts';
import type { Cli } from '../base/cli.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { listenForSignals } from '../base/signals.ts';

/**
 * Checks, before anything starts, that podrun can enforce the limits of the Pods. If a systemd scope permits more
 * limits, runs this `apply` again in a scope and answers its exit code.
 * @throws {PodrunError} (usage) with --strict, when a limit cannot be enforced
 */
export async function checkLimits(
  cli: Cli,
  pods: readonly PlannedPod[],
  flags: ApplyFlags,
  config: ConfigFile | undefined,
): Promise<number | undefined> {
  const open = openLimits(pods, config?.podPidsLimit, flags.enforceMemory === 'poll');
  if (open === undefined) return undefined;
  const exitCode = await runInScope({
    facts: {
      isRoot: process.getuid?.() === 0,
      canLimit: open.length === 0,
      hasReadInput: flags.filename.includes('-'),
      env: cli.env,
    },
    argv: [...cli.podrun, ...cli.line.argv],
    interactive: cli.stdin.isTTY === true,
    onSignal: (forward) => void listenForSignals(cli, forward),
  });
  if (exitCode !== undefined) return exitCode;
  if (!flags.strict || open.length === 0) return undefined;
  throw limitsRefused(open);
}
