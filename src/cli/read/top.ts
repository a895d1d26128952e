import { type Command, Option } from 'commander';

/** What stands on the command line of `top`, as it was written. */
export interface TopFlags {
  readonly containers: boolean;
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly selector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly sortBy: 'cpu' | 'memory' | undefined;
  readonly headers: boolean;
  readonly sum: boolean;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun top pod
  podrun top pod web --containers
  podrun top pod -A --sort-by=memory --sum
`;

export function registerTop(program: Command, done: (exitCode: number) => void): void {
  program
    .command('top')
    .summary('Show what Pods take of CPU and memory')
    .description('Shows what the containers of Pods take of CPU and memory, measured for half a second.')
    .usage('pod [NAME | -l QUERY] [flags]')
    .argument('<type>', 'pod')
    .argument('[name...]', 'the Pod; none: all that run')
    .option('--containers', 'a line for each container', false)
    .option('-n, --namespace <name>', 'namespace of the Pods (default: "default")')
    .option('-A, --all-namespaces', 'the Pods of all namespaces', false)
    .option('-l, --selector <query>', "only Pods with these labels, for example app=web,tier!=db or 'app in (a,b)'")
    .option('--field-selector <query>', 'only Pods with these fields, for example spec.restartPolicy=Always')
    .addOption(new Option('--sort-by <column>', 'the largest first').choices(['cpu', 'memory']))
    .option('--no-headers', 'no line of headings')
    .option('--sum', 'the total of all Pods below them', false)
    .addHelpText('after', EXAMPLES)
    .action(async (type: string, names: string[], flags: Omit<TopFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { top } = await import('./top-command.ts');
      done(await top([type, ...names], { ...flags, stateDir }));
    });
}
