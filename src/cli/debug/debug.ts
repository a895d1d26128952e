import { type Command, InvalidArgumentError } from 'commander';
import { append } from '../select/selection-flags.ts';

/** What stands on the command line of `debug`, as it was written. */
export interface DebugFlags {
  readonly namespace: string | undefined;
  readonly container: string | undefined;
  readonly image: string | undefined;
  readonly target: string | undefined;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly env: readonly string[];
  readonly argumentsOnly: boolean;
  /** Undefined: not said. */
  readonly attach: boolean | undefined;
  readonly quiet: boolean;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
With -i or --attach: the exit code of the command.

Examples:
  podrun debug web -it                          # a shell beside the containers of the Pod
  podrun debug web -it --target=app             # the same, in the environment and the folder of container app
  podrun debug web --attach -- ss -tlnp         # shows what the command prints, and ends with it
  podrun debug web -c probe -- curl -s localhost:8080/healthz
  podrun logs web -c probe
`;

export function registerDebug(
  program: Command,
  command: readonly string[] | undefined,
  done: (exitCode: number) => void,
): void {
  program
    .command('debug')
    .summary('Run a command beside the containers of a running Pod')
    .description(
      'Adds an ephemeral container to a running Pod: it is started once, changes nothing for the others, and is ' +
        'stopped with the Pod.',
    )
    .usage('(POD | pod/POD) [flags] [-- COMMAND ARGS...]')
    .argument('[pod]', 'the Pod')
    .option('-c, --container <name>', 'name of the new container (default: debugger-xxxxx)')
    .option('--image <name>', 'its image (default: that of --target, else "host", with sh as its command)')
    .option('--target <container>', 'have the environment and the working directory of this container')
    .option('-i, --stdin', 'hand on what is typed, or comes through a pipe', false)
    .option('-t, --tty', 'give it a terminal', false)
    .option('--env <name=value>', 'set a variable in it; may be given several times', variable, [])
    .option('--arguments-only', 'what is behind -- are arguments of the image, and not the command', false)
    .option('--attach', 'show what it prints until it ends (default with -i)')
    .option('--no-attach', 'add it, and do not wait for it (default without -i)')
    .option('-q, --quiet', 'say nothing but what the container says', false)
    .option('-n, --namespace <name>', 'namespace of the Pod (default: "default")')
    .addHelpText('after', EXAMPLES)
    .action(async (pod: string | undefined, flags: Omit<DebugFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { debug } = await import('./debug-command.ts');
      done(await debug({ pod, command }, { ...flags, stateDir }));
    });
}

function variable(text: string, before: readonly string[]): readonly string[] {
  if (!text.includes('=')) throw new InvalidArgumentError(`${text} must be formatted as key=value.`);
  return append(text, before);
}
