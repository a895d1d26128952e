import type { Command } from 'commander';

/** What stands on the command line of `exec`, as it was written. */
export interface ExecFlags {
  readonly container: string | undefined;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly quiet: boolean;
  readonly namespace: string | undefined;
  readonly podRunningTimeout: string;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
The exit code is that of the command.

Examples:
  podrun exec web -- date
  podrun exec -it web -- sh                      # a shell in the container, as it sees the world
  podrun exec web -c app -- env
  podrun exec -i web -- psql -q < schema.sql
  podrun exec svc/web -- curl -s localhost:8080/healthz
`;

export function registerExec(
  program: Command,
  command: readonly string[] | undefined,
  done: (exitCode: number) => void,
): void {
  program
    .command('exec')
    .summary('Run a command in a container')
    .description(
      'Runs a command in a container: with its view of the machine, its environment, its user and its folder. ' +
        'The command is ended when its container ends, and when this podrun does.',
    )
    .usage('(POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]')
    .argument('[pod]', 'the Pod')
    .argument('[words...]')
    .option('-c, --container <name>', 'the container (default: the one of the annotation, else the first)')
    .option('-i, --stdin', 'hand on what is typed, or comes through a pipe', false)
    .option('-t, --tty', 'give it a terminal', false)
    .option('-q, --quiet', 'say nothing but what the command says', false)
    .option('-n, --namespace <name>', 'namespace of the Pod (default: "default")')
    .option('--pod-running-timeout <duration>', 'how long to wait for a Pod of a Service', '1m0s')
    .addHelpText('after', EXAMPLES)
    .action(async (pod: string | undefined, words: readonly string[], flags: Omit<ExecFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { exec } = await import('./exec-command.ts');
      done(await exec({ pod, words, command }, { ...flags, stateDir }));
    });
}
