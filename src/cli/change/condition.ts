import type { Command } from 'commander';
import { type DryRun, dryRunOption } from './dry-run.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { type SelectionFlags, withSelectionFlags } from '../select/selection-flags.ts';

/** What stands on the command line of `condition`, as it was written. */
export interface ConditionFlags extends SelectionFlags, OutputFlags {
  readonly all: boolean;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly dryRun: DryRun;
}

const EXAMPLES = `
Examples:
  podrun condition pod/web example.com/lb=True      # opens the readiness gate example.com/lb
  podrun condition pod/web example.com/lb=False --reason Draining --message 'taken out by hand'
  podrun condition pod/web example.com/lb-          # removes it
`;

export function registerCondition(program: Command, done: (exitCode: number) => void): void {
  const command = program
    .command('condition')
    .summary('Set a condition of a Pod')
    .description(
      "Sets conditions of Pods that are not the kubelet's own, those of readiness gates for example: short for " +
        'podrun patch --subresource=status. The agent that runs a Pod works out at once whether it is Ready now.',
    )
    .usage('(TYPE/NAME... | TYPE (NAME... | --all | -l QUERY) | -f FILE) TYPE=STATUS... TYPE-... [flags]')
    .argument('[resource...]', 'which Pods, then types of conditions; STATUS is True, False or Unknown');
  withOutputFlags(withSelectionFlags(command))
    .option('--all', 'all Pods in the namespace', false)
    .option('--reason <word>', 'why, in one word: CamelCase')
    .option('--message <text>', 'why, for people')
    .addOption(dryRunOption('only say what would come of it; see it with -o yaml'))
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: Omit<ConditionFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { condition } = await import('./condition-command.ts');
      done(await condition(words, { ...flags, stateDir }));
    });
}
