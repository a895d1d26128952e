import type { Command } from 'commander';

/** What stands on the command line of `attach`, as it was written. */
export interface AttachFlags {
  readonly container: string | undefined;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly quiet: boolean;
  readonly detachKeys: string;
  readonly namespace: string | undefined;
  readonly podRunningTimeout: string;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
It shows what the container prints from now on (podrun logs has the rest), until the container ends.

Examples:
  podrun attach web
  podrun attach web -c app -it            # types into a container with stdin and tty
  podrun attach -i web < answers.txt      # what stdinOnce means: podrun explain pod.spec.containers.stdinOnce
`;

export function registerAttach(program: Command, done: (exitCode: number) => void): void {
  program
    .command('attach')
    .summary('Connect the terminal with a container that runs')
    .description('Connects standard input, output and error with those of the main process of a container.')
    .usage('(POD | TYPE/NAME) [-c CONTAINER] [flags]')
    .argument('[pod-or-resource...]', 'the Pod')
    .option('-c, --container <name>', 'the container (default: the one of the annotation, else the first)')
    .option('-i, --stdin', 'hand on what is typed, or comes through a pipe', false)
    .option('-t, --tty', 'hand on every key, to a container with a terminal', false)
    .option('-q, --quiet', 'say nothing but what the container says', false)
    .option('--detach-keys <keys>', 'what leaves a container with a terminal; empty: nothing', 'ctrl-p,ctrl-q')
    .option('-n, --namespace <name>', 'namespace of the Pod (default: "default")')
    .option('--pod-running-timeout <duration>', 'how long to wait for a Pod of a Service', '1m0s')
    .addHelpText('after', EXAMPLES)
    .action(async (words: readonly string[], flags: Omit<AttachFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { attach } = await import('./attach-command.ts');
      done(await attach(words, { ...flags, stateDir }));
    });
}
