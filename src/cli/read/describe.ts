import type { Command } from 'commander';
import { fromOption } from '../from/from-option.ts';
import type { FromFlags } from '../from/saved-objects.ts';
import { AT_DESCRIPTION } from '../select/run-names.ts';
import { type SelectionFlags, withSelectionFlags } from '../select/selection-flags.ts';

/** What stands on the command line of `describe`, as it was written. */
export interface DescribeFlags extends SelectionFlags, Pick<FromFlags, 'from'> {
  readonly showEvents: boolean;
  /** A moment of the past, see history/moment.ts. */
  readonly at?: string;
}

const EXAMPLES = `
Examples:
  podrun describe                   # every Pod
  podrun describe pod web
  podrun describe web               # the same
  podrun describe pod we            # every Pod whose name begins so, when none is called so
  podrun describe web --at restart:1    # when a container had been restarted once
  podrun describe node              # this machine, and what its Pods claim of it
  podrun describe web@1             # the run before the latest
  podrun describe --from pod.json --from events.json    # objects of a cluster that somebody saved
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
    .addOption(fromOption())
    .option('--at <moment>', AT_DESCRIPTION)
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: Omit<DescribeFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { describe } = await import('./describe-command.ts');
      done(await describe(words, { ...flags, stateDir }));
    });
}
