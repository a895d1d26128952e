import { type Command, InvalidArgumentError, Option } from 'commander';
import { type DryRun, dryRunOption } from '../change/dry-run.ts';
import { outputOption, type SelectionFlags, withSelectionFlags } from '../select/selection-flags.ts';

/** What stands on the command line of `delete`, as it was written. */
export interface DeleteFlags extends SelectionFlags {
  /** Seconds; negative: as the Pod says. */
  readonly gracePeriod: number;
  readonly now: boolean;
  readonly force: boolean;
  /** Ask before. */
  readonly interactive: boolean;
  readonly wait: boolean;
  readonly timeout: string;
  /** Undefined: not said. */
  readonly ignoreNotFound: boolean | undefined;
  readonly dryRun: DryRun;
  readonly output: 'name' | undefined;
}

const EXAMPLES = `
Examples:
  podrun delete pod web             # terminates it gracefully and removes it; the apply that ran it ends
  podrun delete -f pod.yaml --now
  podrun delete pods --all --wait=false
  podrun delete pod stuck --force   # does not wait for its processes
`;

export function registerDelete(program: Command, done: (exitCode: number) => void): void {
  const command = program
    .command('delete')
    .summary('Terminate and remove Pods')
    .description('Terminates Pods gracefully and removes them with their logs and volumes; removes other objects.')
    .usage('TYPE/NAME... | TYPE (NAME... | --all | -l QUERY) | -f FILE [flags]')
    .argument('[resource...]', 'which objects');
  withSelectionFlags(command)
    .option('--all', 'all objects of the type in the namespace', false)
    .option('--grace-period <seconds>', 'time that a Pod gets to end; negative: as its spec says', wholeNumber, -1)
    .option('--now', 'the same as --grace-period=1', false)
    .option('--force', 'remove at once; what runs gets two seconds to end', false)
    .option('-i, --interactive', 'name the objects, and ask before they are deleted', false)
    .option('--wait', 'wait until the objects are gone (default)')
    .option('--no-wait', 'do not wait until the objects are gone')
    .option('--timeout <duration>', 'how long to wait at most; 0: as long as it takes', '0s')
    .option('--ignore-not-found', 'a name that does not exist is no error')
    .option('--no-ignore-not-found', 'a name that does not exist is an error')
    .addOption(
      // As garbage collection in a cluster is told. Here the three come to the same.
      new Option('--cascade <how>', 'what becomes of objects that belong to these; here none do')
        .choices(['background', 'foreground', 'orphan'])
        .default('background'),
    )
    .addOption(dryRunOption('only say what would be deleted'))
    .addOption(outputOption<'name'>(['name']))
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: Omit<DeleteFlags, 'stateDir' | 'wait'> & { wait?: boolean }) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { deleteObjects } = await import('./delete-command.ts');
      done(await deleteObjects(words, { ...flags, wait: flags.wait !== false, stateDir }));
    });
}

function wholeNumber(text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a number of seconds.');
}
