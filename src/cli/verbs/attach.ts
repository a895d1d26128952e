import type { Command } from 'commander';
import { allContainers, EXIT, type StoredPod } from '../../api/index.ts';
import { type ConnectionEnd, connectionLost, containerNotRunning } from '../../engine/index.ts';
import { connectStreams, ownTerminal } from '../connect/connect-streams.ts';
import { parseDetachKeys } from '../connect/detach-keys.ts';
import { reachPod, runningContainer } from '../connect/reached-pod.ts';
import { openStore } from '../base/environment.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { usageErrorf } from '../flags/options.ts';

interface AttachFlags {
  readonly container: string | undefined;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly detachKeys: string;
  readonly namespace: string | undefined;
  readonly podRunningTimeout: string;
}

const EXAMPLES = `
Shows the output of the container from now on, until the container ends. podrun logs shows earlier output.

Examples:
  podrun attach web
  podrun attach web -c app -it            # types into a container with stdin and tty
  podrun attach -i web < input.txt        # see podrun explain pod.spec.containers.stdinOnce
`;

/** `podrun attach`: connects the terminal with a running container. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('attach')
    .summary('Connect the terminal to a running container')
    .description('Connects standard input, output and error to the main process of a container.')
    .usage('(POD | TYPE/NAME) [-c CONTAINER] [flags]')
    .argument('[pod-or-resource...]', 'the Pod')
    .option('-c, --container <name>', 'the container (default: named by the annotation, else the first)')
    .option('-i, --stdin', 'send standard input to the container', false)
    .option('-t, --tty', 'send every key to the terminal of the container', false)
    .option('-q, --quiet', 'print the output of the container only', false)
    .option('--detach-keys <keys>', 'keys that leave a container with a terminal; empty: no keys', 'ctrl-p,ctrl-q')
    .option('-n, --namespace <name>', 'namespace of the Pod (default: "default")')
    .option('--pod-running-timeout <duration>', 'how long to wait for a Pod of a workload or Service', '1m0s')
    .addHelpText('after', EXAMPLES)
    .action((words: readonly string[], flags: AttachFlags) => run((cli) => attach(cli, words, flags)));
}

/** Runs `podrun attach`. Returns the exit code. Source: kubectl/pkg/cmd/attach/attach.go. */
export async function attach(cli: Cli, words: readonly string[], flags: AttachFlags): Promise<number> {
  const detachKeys = parseDetachKeys(flags.detachKeys);
  const { clock } = cli;
  const store = openStore(cli);
  const { pod } = await reachPod(cli, podWord(words), { ...flags, store });
  const container = runningContainer(cli, store, pod, flags.container, 'attach a container in');
  const spec = allContainers(pod.spec).find(({ name }) => name === container);
  const say = (text: string): void => {
    if (!cli.isQuiet) cli.stderr.write(`${text}\n`);
  };
  const hasTerminal = spec?.tty ?? false;
  if (flags.tty && !hasTerminal) say(`error: Unable to use a TTY - container ${container} did not allocate one`);
  if (flags.stdin && spec?.stdin !== true) {
    say(`Warning: container ${container} has no stdin: podrun drops its input`);
  }
  // As in kubectl, a container with a terminal gets every key, also without -t.
  const terminal = flags.stdin && hasTerminal ? ownTerminal(cli) : undefined;
  say("If you don't see a command prompt, try pressing enter.");
  const end = await connectStreams(cli, {
    clock,
    socket: store.paths(pod.metadata.namespace, pod.metadata.name).attachSocket,
    isPatient: true,
    opening: { type: 'attach', container, stdin: flags.stdin },
    terminal,
    detachKeys: terminal === undefined ? undefined : detachKeys,
  });
  if (end.type === 'exited' || end.type === 'detached')
    printHowToResume(cli, pod, container, terminal !== undefined, flags);
  return exitCodeOf(end, pod, container);
}

function printHowToResume(
  cli: Cli,
  pod: StoredPod,
  container: string,
  isTyped: boolean,
  { namespace }: AttachFlags,
): void {
  if (cli.isQuiet || !isTyped || (pod.spec.restartPolicy ?? 'Always') !== 'Always') return;
  const namespaceFlag = namespace ? ` -n ${namespace}` : '';
  const command = `podrun attach ${pod.metadata.name}${namespaceFlag} -c ${container} -i -t`;
  cli.stdout.write(`Session ended, resume using '${command}' command when the pod is running\n`);
}

/**
 * The exit code of `attach`. It says whether all output was shown, as in kubectl: the status holds the exit code of the
 * container.
 */
function exitCodeOf(end: ConnectionEnd, pod: StoredPod, container: string): number {
  switch (end.type) {
    case 'exited':
    case 'detached':
      return EXIT.ok;
    case 'stopped':
      return end.exitCode;
    case 'refused':
    case 'failed':
      throw containerNotRunning(container);
    case 'lost':
      throw connectionLost(pod, container, end.why);
    default:
      return end satisfies never;
  }
}

/** Reads the Pod from `web`, `pod/web` or `pod web`. */
function podWord(words: readonly string[]): string {
  if (words.length === 0) throw usageErrorf('attach', 'at least 1 argument is required for attach');
  if (words.length <= 2) return words.join('/');
  const saw = `[${words.join(' ')}]`;
  throw usageErrorf(
    'attach',
    `expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw ${words.length}: ${saw}`,
  );
}
