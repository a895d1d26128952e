import type { Command } from 'commander';
import { type SelectionFlags, withSelectionFlags } from '../select/selection-flags.ts';

/** What stands on the command line of `describe`, as it was written. */
export interface DescribeFlags extends SelectionFlags {
  readonly showEvents: boolean;
}

const EXAMPLES = `
Examples:
  podrun describe                   # every Pod
  podrun describe pod web
  podrun describe web               # the same
  podrun describe pod we            # every Pod whose name begins so, when none is called so
`;

export function registerDescribe(program: Command, done: (exitCode: number) => void): void {
  const command = program
    .command('describe')
    .summary('Tell everything about Pods')
    .description('Tells everything about Pods, with their events.')
    .usage('[pod] [NAME...] [flags]')
    .argument('[pod...]', 'names, or the beginning of one; none: every Pod');
  withSelectionFlags(command)
    .option('--no-show-events', 'leave out the events')
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: Omit<DescribeFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { describe } = await import('./describe-command.ts');
      done(await describe(words, { ...flags, stateDir }));
    });
}
