import path from 'node:path';
import { type Command, Option } from 'commander';
import { homeFolder } from '../../user.ts';
import { PodrunError, usage } from '../../api/index.ts';
import { SOURCE_CHOICES } from '../../lifecycle/index.ts';
import { NETWORK_CHOICES, PROXY_CHOICES, RUNTIME_CHOICES } from '../../machine/index.ts';
import type { ServingServer } from '../../server/index.ts';
import { memoryMountPoints, protectStateFolder, stateRoot } from '../../store/index.ts';
import { untilSignal } from '../base/signals.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { runBehindDashes } from '../base/command-behind-dashes.ts';
import { type AgentSettings, readConfigFile } from '../../settings/index.ts';
import { chooseRuntime, runNetworks, runSettings, runtimeChoice } from '../../engine/index.ts';
import { FOR_CLIENTS } from '../../network/index.ts';
import { APPLY_DEFAULTS } from '../apply/apply-defaults.ts';
import { type ApplyFlags, NODES_HELP, OVERCOMMIT_HELP, SECCOMP_ROOT_HELP, ZONES_HELP } from '../flags/apply-flags.ts';
import { countOption } from '../flags/options.ts';
import { choicesOfFlags } from '../apply/apply-input.ts';

interface ServeFlags extends ServedPodFlags {
  readonly port?: string;
  readonly address: string;
  readonly authorization: 'rbac' | 'always-allow';
  readonly once?: boolean;
  readonly auditLog?: string;
}

const EXAMPLES = `
The server listens on this machine only, with TLS and a token, which the kubeconfig has. Ctrl-C ends the server;
its Pods keep running, and the next podrun serve continues with them. With --once, all ends with COMMAND.

Examples:
  podrun serve                        # prints: export KUBECONFIG=…
  podrun serve --once -- ./smoke.sh   # serves for one command, and exits with its code
  podrun serve --port 6443
`;

const append = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value];

/** `podrun serve`: serves the store as the API of Kubernetes, and runs what clients create. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('serve')
    .summary('Serve the API of Kubernetes, for kubectl and other clients')
    .description('Serves the API of Kubernetes. The Pods and workloads that clients create run on this machine.')
    .usage('[flags] [-- COMMAND ARGS...]')
    .option('--port <number>', 'port to listen at; 0: a free one (default: the last one, if it is free)')
    .option('--address <address>', 'address to listen at', '127.0.0.1')
    .addOption(
      new Option('--authorization <mode>', 'rbac: users and Pods may do what Roles permit; always-allow: everything')
        .choices(['rbac', 'always-allow'])
        .default('rbac'),
    )
    .option('--audit-log <file>', 'write a line of JSON for each request')
    .option('--once', 'serve for COMMAND, with KUBECONFIG set; then end all Pods')
    .option('--image <name=command>', 'the program of an image; may be given several times', append)
    .option('--config <file>', 'settings (default: podrun.yaml of this folder or of one above)')
    .addOption(new Option('--network <kind>', 'the network of Pods (default: auto)').choices(NETWORK_CHOICES))
    .addOption(new Option('--proxy <kind>', 'the proxy of Services in a cluster').choices(PROXY_CHOICES))
    .addOption(new Option('--runtime <tier>', 'how containers are isolated').choices(RUNTIME_CHOICES))
    .addOption(new Option('--images <source>', 'programs of this machine, or real images').choices(SOURCE_CHOICES))
    .option('--ingress-port <ports>', 'ports for Ingresses: HTTP,HTTPS')
    .option('--seccomp-root <folder>', SECCOMP_ROOT_HELP)
    .addOption(countOption('--nodes <number>', NODES_HELP))
    .addOption(countOption('--zones <number>', ZONES_HELP))
    .option('--overcommit', OVERCOMMIT_HELP)
    .option('--isolate', 'containers get copies of the folders with your work')
    .addHelpText('after', EXAMPLES)
    .action((flags: Partial<ServeFlags> & Pick<ServeFlags, 'address' | 'authorization'>) =>
      run((cli) => serve(cli, withDefaults(flags))),
    );
}

function withDefaults(flags: Partial<ServeFlags> & Pick<ServeFlags, 'address' | 'authorization'>): ServeFlags {
  const { image = [], config, network, proxy, runtime, images, ingressPort, seccompRoot, ...rest } = flags;
  const { isolate = false, overcommit = false } = flags;
  const node = { network, proxy, runtime, ingressPort, isolate, overcommit, seccompRoot };
  return { ...rest, ...node, image, config, images };
}

async function serve(cli: Cli, flags: ServeFlags): Promise<number> {
  const { command } = cli.line;
  const [program, ...args] = command ?? [];
  if (flags.once === true && program === undefined) throw usage('--once needs a COMMAND behind --');
  if (flags.once !== true && command !== undefined) throw usage('a COMMAND needs --once');
  // A signal during the start ends the server once it is ready.
  const stopped = program === undefined ? untilSignal(cli) : undefined;
  const home = homeFolder();
  const root = stateRoot({ flag: cli.flags.stateDir, env: cli.env, home, pathOf: cli.pathOf });
  protectStateFolder(root, home);
  const settings = await serveSettings(cli, flags, root);
  let exitCode: number | undefined;
  const { serveCluster } = await import('../../server/index.ts');
  const outcome = await serveCluster({
    root,
    memoryMountPoints: memoryMountPoints(cli.env, process.getuid?.()),
    clock: cli.clock,
    podrun: cli.podrun,
    settings,
    descriptionsFile: path.join(cli.folder, 'descriptions.json'),
    host: flags.address,
    port: flags.port === undefined ? undefined : portNumber(flags.port),
    authorization: flags.authorization,
    auditLog: flags.auditLog && cli.pathOf(flags.auditLog),
    report: (line) => cli.stderr.write(`${line}\n`),
    onReady: async (server) => {
      if (program === undefined) return serveUntil(stopped, cli, server);
      exitCode = await runOnce(cli, [program, ...args], server);
      return 'end';
    },
  });
  if (!outcome.ok) throw new PodrunError(outcome.code, outcome.message, { hint: outcome.hint });
  return exitCode ?? outcome.exitCode;
}

/** @throws {PodrunError} (usage) */
function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port < 65_536) return port;
  throw usage(`invalid --port ${JSON.stringify(text)}`, 'A port is a number from 0 to 65535.');
}

/** Prints where the server is, and serves until a signal. */
async function serveUntil(stopped: Promise<unknown> | undefined, cli: Cli, server: ServingServer): Promise<'leave'> {
  cli.stdout.write(`export KUBECONFIG=${server.kubeconfig}\n`);
  cli.note(`serving ${server.url}; Ctrl-C ends the server, and its Pods keep running`);
  await stopped;
  return 'leave';
}

/** Runs COMMAND. Returns its exit code; if that is 0, the verdict on the Pods. */
async function runOnce(cli: Cli, argv: readonly [string, ...string[]], server: ServingServer): Promise<number> {
  const faults = server.watchFaults();
  const { hasRun, exitCode } = await runBehindDashes(cli, argv, { KUBECONFIG: server.kubeconfig });
  if (!hasRun) return exitCode;
  const { tellFaults } = await import('../apply/tell-faults.ts');
  return tellFaults(cli, exitCode, faults());
}

/** The flags of `serve` about Pods. */
type ServedPodFlags = Pick<
  ApplyFlags,
  | 'image'
  | 'config'
  | 'network'
  | 'proxy'
  | 'runtime'
  | 'images'
  | 'ingressPort'
  | 'nodes'
  | 'zones'
  | 'isolate'
  | 'overcommit'
  | 'seccompRoot'
>;

/**
 * The settings of all Pods of a server, from flags and podrun.yaml.
 * @throws {PodrunError} (usage) when this machine does not permit what the user has chosen
 */
async function serveSettings(cli: Cli, flags: ServedPodFlags, root: string): Promise<AgentSettings> {
  const { env, clock } = cli;
  const config = readConfigFile({ path: flags.config, cwd: cli.cwd });
  const place = { stateDir: root, clock, userPath: env['PATH'] };
  const choice = runtimeChoice({ flag: flags.runtime, variable: env['PODRUN_RUNTIME'], file: config?.runtime });
  const { features } = await chooseRuntime(choice, place);
  const choices = choicesOfFlags(cli, { ...APPLY_DEFAULTS, ...flags }, config);
  const request = { hasNamespaces: features.tier !== 'process', objects: [], reason: FOR_CLIENTS };
  const { networks, note } = await runNetworks(choices, request, place);
  if (note !== undefined) cli.note(note);
  return { ...runSettings(choices), privateNetworks: networks, features };
}
