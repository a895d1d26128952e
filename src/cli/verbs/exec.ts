import type { Command } from 'commander';
import { EXIT, PodrunError, usage } from '../../api/index.ts';
import { type ConnectionEnd, connectionLost, containerNotRunning } from '../../engine/index.ts';
import { connectStreams, ownTerminal } from '../connect/connect-streams.ts';
import { reachPod, runningContainer } from '../connect/reached-pod.ts';
import { openStore } from '../base/environment.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { usageErrorf } from '../flags/options.ts';

interface ExecFlags {
  readonly container: string | undefined;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly namespace: string | undefined;
  readonly podRunningTimeout: string;
}

const EXAMPLES = `
podrun exits with the exit code of the command.

Examples:
  podrun exec web -- date
  podrun exec -it web -- sh                      # a shell in the container
  podrun exec web -c app -- env
  podrun exec -i web -- psql -q < schema.sql
  podrun exec svc/web -- curl -s localhost:8080/healthz
`;

/** `podrun exec`: runs a command in a container. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('exec')
    .summary('Run a command in a container')
    .description(
      'Runs a command in a container, with the files, environment, user and working directory of the container. ' +
        'podrun ends the command when the container ends, and when podrun itself ends.',
    )
    .usage('(POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]')
    .argument('[pod]', 'the Pod')
    .argument('[words...]')
    .option('-c, --container <name>', 'the container (default: named by the annotation, else the first)')
    .option('-i, --stdin', 'send standard input to the command', false)
    .option('-t, --tty', 'run it in a terminal', false)
    .option('-q, --quiet', 'print the output of the command only', false)
    .option('-n, --namespace <name>', 'namespace of the Pod (default: "default")')
    .option('--pod-running-timeout <duration>', 'how long to wait for a Pod of a workload or Service', '1m0s')
    .addHelpText('after', EXAMPLES)
    .action((pod: string | undefined, words: readonly string[], flags: ExecFlags) =>
      run((cli) => exec(cli, { pod, words, command: cli.line.command }, flags)),
    );
}

/** The arguments of `exec`. */
export interface ExecWords {
  readonly pod: string | undefined;
  /** The words behind the Pod, before `--`. */
  readonly words: readonly string[];
  /** The words behind `--`. */
  readonly command: readonly string[] | undefined;
}

/** Runs `podrun exec`. Returns the exit code of the command. Source: kubectl/pkg/cmd/exec/exec.go. */
export async function exec(cli: Cli, words: ExecWords, flags: ExecFlags): Promise<number> {
  const { pod: word, argv } = readWords(words);
  const { clock } = cli;
  const store = openStore(cli);
  const { pod } = await reachPod(cli, word, { ...flags, store });
  const container = runningContainer(cli, store, pod, flags.container);
  // -t without -i needs no terminal of the user: nothing is typed.
  const terminal = flags.stdin && flags.tty ? ownTerminal(cli) : undefined;
  const tty = terminal !== undefined;
  const end = await connectStreams(cli, {
    clock,
    socket: store.paths(pod.metadata.namespace, pod.metadata.name).attachSocket,
    isPatient: true,
    opening: { type: 'exec', container, argv, stdin: flags.stdin, tty },
    terminal,
    onConnected: ({ notice }) => {
      if (notice !== undefined) cli.warn(notice);
    },
  });
  if (end.type === 'lost') throw connectionLost(pod, container, end.why);
  return exitCodeOf(cli, end, container);
}

function exitCodeOf(cli: Cli, end: Exclude<ConnectionEnd, { type: 'lost' }>, container: string): number {
  switch (end.type) {
    case 'exited':
      if (end.exitCode !== 0) cli.stderr.write(`command terminated with exit code ${end.exitCode}\n`);
      return end.exitCode;
    case 'stopped':
      return end.exitCode;
    case 'detached':
      return EXIT.ok;
    case 'refused':
      throw containerNotRunning(container);
    case 'failed': {
      // Go's error has two prefixes: the kubelet's and the API server's.
      const internal = 'Internal error occurred: Internal error occurred: error executing command in container';
      throw new PodrunError('InternalError', `${internal}: ${end.error}`);
    }
    default:
      return end satisfies never;
  }
}

function readWords({ pod, words, command = [] }: ExecWords): { pod: string; argv: readonly [string, ...string[]] } {
  if (words.length > 0) {
    throw usageErrorf('exec', 'exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead');
  }
  if (pod === undefined) throw usageErrorf('exec', 'pod or type/name must be specified');
  const [program, ...args] = command;
  if (program === undefined) throw usage('you must specify at least one command for the container');
  return { pod, argv: [program, ...args] };
}
