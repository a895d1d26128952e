import type { Command } from 'commander';

/** What stands on the command line of `port-forward`, as it was written. */
export interface PortForwardFlags {
  readonly address: string;
  readonly namespace: string | undefined;
  readonly podRunningTimeout: string;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
It ends with the Pod, or when you end it.

Examples:
  podrun port-forward web 8080:80                # localhost:8080 leads to port 80 of the Pod
  podrun port-forward web 5000 :6000             # the same port; any port that is free
  podrun port-forward svc/web 8443:https         # a port of a Service, by its name
  podrun port-forward --address 0.0.0.0 web 8080:http
`;

export function registerPortForward(program: Command, done: (exitCode: number) => void): void {
  program
    .command('port-forward')
    .summary('Have ports of this machine lead to ports of a Pod')
    .description('Listens on ports of this machine, and hands on what connects to them to ports of a Pod.')
    .usage('TYPE/NAME [flags] [LOCAL_PORT:]REMOTE_PORT [...]')
    .argument('[pod-and-ports...]', 'the Pod, and ports')
    .option('--address <addresses>', 'where to listen: addresses or localhost, with commas between', 'localhost')
    .option('-n, --namespace <name>', 'namespace of the Pod (default: "default")')
    .option('--pod-running-timeout <duration>', 'how long to wait for a Pod of a Service', '1m0s')
    .addHelpText('after', EXAMPLES)
    .action(async (words: readonly string[], flags: Omit<PortForwardFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { portForward } = await import('./port-forward-command.ts');
      done(await portForward(words, { ...flags, stateDir }));
    });
}
