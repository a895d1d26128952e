import type { Command } from 'commander';
import { outputOption } from '../select/selection-flags.ts';

/** What stands on the command line of `probes`, as it was written. */
export interface ProbesFlags {
  readonly container: string | undefined;
  readonly type: string | undefined;
  readonly follow: boolean;
  readonly tail: string;
  readonly namespace: string | undefined;
  readonly output: 'json' | undefined;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun probes web                       # every probe, what each attempt got and what it changed
  podrun probes web --type=readiness -f   # one line for each attempt, as it comes
  podrun probes web -c app --tail=20
  podrun probes web -o json | jq 'select(.decision == "restart")'
`;

export function registerProbes(program: Command, done: (exitCode: number) => void): void {
  program
    .command('probes')
    .summary('Print what probes got, attempt by attempt')
    .description('Prints the probe journal of a Pod: every attempt, its result, the count, and what it changed.')
    .usage('(POD | pod/POD) [flags]')
    .argument('<pod>', 'the Pod')
    .option('-c, --container <name>', 'only the probes of this container')
    .option('--type <type>', 'only these: startup, liveness or readiness')
    .option('-f, --follow', 'go on until the Pod ends; one line for each attempt', false)
    .option('--tail <attempts>', 'only the last attempts; -1: all', '-1')
    .option('-n, --namespace <name>', 'namespace of the Pod (default: "default")')
    .addOption(outputOption<'json'>(['json']))
    .addHelpText('after', EXAMPLES)
    .action(async (pod: string, flags: Omit<ProbesFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { probes } = await import('./probes-command.ts');
      done(await probes(pod, { ...flags, stateDir }));
    });
}
