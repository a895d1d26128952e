import type { Command } from 'commander';
import { outputOption } from '../select/selection-flags.ts';

/** What stands on the command line of `history`, as it was written. */
export interface HistoryFlags {
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly headers: boolean;
  readonly output: 'json' | 'name' | undefined;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun history                    # the runs of every Pod on record
  podrun history web                # web is the latest, web@1 the one before
  podrun history web -o json | jq 'select(.phase == "Failed")'
`;

export function registerHistory(program: Command, done: (exitCode: number) => void): void {
  program
    .command('history')
    .summary('List the runs of Pods that are on record')
    .description('Lists the runs of Pods that are on record, the latest of each Pod first.')
    .usage('[POD...] [flags]')
    .argument('[pod...]', 'the Pods; none: all of the namespace')
    .option('-n, --namespace <name>', 'namespace of the Pods (default: "default")')
    .option('-A, --all-namespaces', 'the Pods of all namespaces', false)
    .addOption(outputOption<'json' | 'name'>(['json', 'name']))
    .option('--no-headers', 'no line of headings')
    .addHelpText('after', EXAMPLES)
    .action(async (pods: string[], flags: Omit<HistoryFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { history } = await import('./history-command.ts');
      done(await history(pods, { ...flags, stateDir }));
    });
}
