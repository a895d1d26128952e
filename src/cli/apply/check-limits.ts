import type { ConfigFile } from '../../agent/config/config-file.ts';
import { EXIT, PodrunError } from '../../api/errors.ts';
import { allContainers, type StoredPod } from '../../api/objects.ts';
import { type ContainerLimits, containerLimits } from '../../lifecycle/node/container-limits.ts';
import type { ApplyFlags } from './apply.ts';
import { listenForSignals } from './signals.ts';
import type { Clock } from '../../clock.ts';

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
  const limited = pods.flatMap(({ metadata, spec }) =>
    allContainers(spec).flatMap((container): Array<{ name: string; limits: ContainerLimits }> => {
      const limits = containerLimits(spec, container, config?.podPidsLimit);
      return limits === undefined ? [] : [{ name: metadata.name, limits }];
    }),
  );
  if (limited.length === 0) return undefined;
  const [{ whyNotEnforced }, { runInScope }] = await Promise.all([
    import('../../runtime/limits/limiter.ts'),
    import('../../runtime/cgroup/scope.ts'),
  ]);
  const pollsMemory = flags.enforceMemory === 'poll';
  const open = limited.flatMap(({ name, limits }) => {
    const why = whyNotEnforced(limits, pollsMemory);
    return why === undefined ? [] : [`error: pod/${name}: ${why}`];
  });
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
  throw new PodrunError([...new Set(open)].join('\n'), {
    exitCode: EXIT.usage,
    hint: 'podrun doctor tells what this machine permits. Without --strict the Pods would run without these limits.',
  });
}
