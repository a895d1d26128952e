import type { Command } from 'commander';
import { fromOption } from '../from/from-option.ts';
import type { FromFlags } from '../from/saved-objects.ts';
import { LIST_FORMATS, type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { AT_DESCRIPTION } from '../select/run-names.ts';
import { type SelectionFlags, withSelectionFlags } from '../select/selection-flags.ts';

/** What stands on the command line of `get`, as it was written. */
export interface GetFlags extends SelectionFlags, OutputFlags, Pick<FromFlags, 'from'> {
  readonly watch: boolean;
  readonly watchOnly: boolean;
  readonly outputWatchEvents: boolean;
  readonly headers: boolean;
  readonly showLabels: boolean;
  readonly labelColumns: readonly string[];
  readonly showKind: boolean;
  readonly ignoreNotFound: boolean;
  /** A moment of the past, see history/moment.ts. */
  readonly at?: string;
  /** A JSONPath; empty: in the order of the names. */
  readonly sortBy: string;
}

const EXAMPLES = `
Examples:
  podrun get                        # the Pods
  podrun get pods -o wide
  podrun get pod web -o yaml
  podrun get pods -w -o json --output-watch-events
  podrun get pods,events -n test
  podrun get pods --from pods.json -o wide
  podrun get pods --sort-by=.metadata.creationTimestamp
  podrun get pods -o custom-columns=NAME:.metadata.name,IP:.status.podIP
  podrun get pods -o jsonpath='{range .items[*]}{.metadata.name}{"\\t"}{.status.phase}{"\\n"}{end}'
  podrun get pods -o go-template='{{range .items}}{{.metadata.name}} {{.status.phase}}{{"\\n"}}{{end}}'
  podrun get pod web -o yaml --at 3.2s   # as it was then; web@1 is the run before
`;

export function registerGet(program: Command, done: (exitCode: number) => void): void {
  const command = program
    .command('get')
    .summary('List Pods and other objects')
    .description('Lists objects, Pods where nothing else is said, or prints them.')
    .usage('[TYPE [NAME...] | TYPE/NAME... | -f FILE] [flags]')
    .argument('[resource...]', 'pods, events, configmaps, secrets, services, …; with or without names');
  withOutputFlags(withSelectionFlags(command), LIST_FORMATS)
    .addOption(fromOption())
    .option('--sort-by <path>', 'in the order of what this JSONPath finds, for example .status.startTime', '')
    .option('-w, --watch', 'go on and print every change, until Ctrl-C', false)
    .option('--watch-only', 'print changes only, not what there is already', false)
    .option('--output-watch-events', 'say what kind of change it is: ADDED, MODIFIED, DELETED', false)
    .option('--no-headers', 'no line of headings')
    .option('--show-labels', 'the labels as the last column', false)
    .option(
      '-L, --label-columns <keys>',
      'a column for each of these labels',
      (keys: string, before: readonly string[]): readonly string[] => [...before, ...keys.split(',')],
      [],
    )
    .option('--show-kind', 'names with their type in front', false)
    .option('--ignore-not-found', 'a name that does not exist is no error', false)
    .option('--at <moment>', AT_DESCRIPTION)
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: Omit<GetFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { get } = await import('./get-command.ts');
      done(await get(words, { ...flags, stateDir }));
    });
}
