import { type Command, Option } from 'commander';
import { countOption } from '../count-option.ts';
import { outputOption } from '../select/selection-flags.ts';

/** What stands on the command line of `gc`, as it was written. */
export interface GcFlags {
  readonly keep: number;
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly dryRun: 'none' | 'client' | 'server';
  readonly output: 'name' | undefined;
  readonly stateDir: string | undefined;
}

/** As many as the history of a Pod holds. */
const KEPT = 10;

const EXAMPLES = `
What goes:
  - Pods that have ended, all but the newest ten (--keep), evicted ones first; with their logs and volumes
  - earlier runs of Pods, all but the newest of each (--keep); all of them when the Pod is gone
  - volumes of claims that are gone, and events about Pods that are gone
  - what a podrun that was killed left: processes (its Pods are then Failed, with the reason NodeLost),
    half-written files, locks, sockets, FIFOs, copies of the root that containers wrote to
What a living podrun runs is left alone, and so are Pods with finalizers.

Examples:
  podrun gc                         # in the namespace default
  podrun gc -A --keep 0             # everything that has ended, in all namespaces
  podrun gc --dry-run               # only say what would go
`;

export function registerGc(program: Command, done: (exitCode: number) => void): void {
  program
    .command('gc')
    .summary('Remove what has ended and what was left behind')
    .description('Removes Pods that have ended, but for the newest, and whatever else nobody needs any more.')
    .usage('[flags]')
    .addOption(
      countOption('--keep <number>', 'how many Pods that have ended stay, and earlier runs of each').default(KEPT),
    )
    .option('-n, --namespace <name>', 'namespace to clean up (default: "default")')
    .option('-A, --all-namespaces', 'clean up all namespaces', false)
    .addOption(
      new Option('--dry-run [mode]', 'only say what would be removed')
        .choices(['none', 'client', 'server'])
        .preset('client')
        .default('none'),
    )
    .addOption(outputOption<'name'>(['name']))
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Omit<GcFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { gc } = await import('./gc-command.ts');
      done(await gc({ ...flags, stateDir }));
    });
}
