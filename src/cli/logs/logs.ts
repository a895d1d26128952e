import type { Command } from 'commander';

/** What stands on the command line of `logs`, as it was written. */
export interface LogsFlags {
  readonly container: string | undefined;
  readonly allContainers: boolean;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly hooks: boolean;
  readonly since: string | undefined;
  readonly sinceTime: string | undefined;
  readonly tail: string | undefined;
  readonly timestamps: boolean;
  readonly prefix: boolean;
  readonly limitBytes: string | undefined;
  readonly ignoreErrors: boolean;
  readonly selector: string | undefined;
  readonly namespace: string | undefined;
  readonly maxLogRequests: string;
  readonly podRunningTimeout: string;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun logs web                       # the only container, or the first one
  podrun logs web -c proxy -f           # as it comes, until the container ends
  podrun logs web --previous            # the run before the last restart
  podrun logs web --all-containers --prefix --since=5m
  podrun logs -l app=web --tail=20
  podrun logs web --hooks -f            # what hooks and exec probes write, and how hooks end
`;

export function registerLogs(program: Command, done: (exitCode: number) => void): void {
  program
    .command('logs')
    .summary('Print what containers have written')
    .description(
      'Prints what a container, or its hooks and probes, have written to standard output and standard error.',
    )
    .usage('(POD | pod/POD) [CONTAINER] | -l QUERY [flags]')
    .argument('[pod]', 'the Pod')
    .argument('[container]', 'the container')
    .option('-c, --container <name>', 'the container')
    .option('--all-containers', 'all containers of the Pod', false)
    .option('-f, --follow', 'go on until the container ends', false)
    .option('-p, --previous', 'the log of the instance before this one', false)
    .option('--hooks', 'what hooks and exec probes have written, instead of the container', false)
    .option('--since <duration>', 'only what is not older than this, for example 5s, 2m or 3h')
    .option('--since-time <time>', 'only what was written at this time (RFC 3339) or later')
    .option('--tail <lines>', 'only the last lines; -1: all (default: -1, with a selector 10)')
    .option('--timestamps', 'with the time of each line', false)
    .option('--prefix', 'with the names of Pod and container before each line', false)
    .option('--limit-bytes <bytes>', 'at most so many bytes of each log')
    .option('--ignore-errors', 'say what cannot be shown, and go on', false)
    .option('-l, --selector <query>', 'Pods with these labels, for example app=web')
    .option('-n, --namespace <name>', 'namespace of the Pods (default: "default")')
    .option('--max-log-requests <count>', 'how many logs may be followed at once', '5')
    .option('--pod-running-timeout <duration>', 'with -f: how long to wait for a container to start', '20s')
    .addHelpText('after', EXAMPLES)
    .action(async (pod: string | undefined, container: string | undefined, flags: Omit<LogsFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { logs } = await import('./logs-command.ts');
      done(await logs({ pod, container }, { ...flags, stateDir }));
    });
}
