import { completedPod, noAgent } from '../connect/reached-pod.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  DEFAULT_NAMESPACE,
  type EphemeralContainer,
  EXIT,
  isTerminalPhase,
  type KubeObject,
  PodrunError,
  type StoredPod,
} from '../../api/index.ts';
import {
  changeObject,
  deletePod,
  getObject,
  missingObjectError,
  type ObjectRef,
  withClusterObjects,
} from '../../apiserver/index.ts';
import type { FileStore } from '../../store/index.ts';
import { attachToContainer } from '../debug/attach-container.ts';
import { authorOfCommand } from '../base/deletion-author.ts';
import { createFromFlags } from '../create/create-object.ts';
import { debugCopy, nodeDebugger } from '../debug/debug-pods.ts';
import {
  copiedContainer,
  debugContainer,
  type DebugFlags,
  type DebugRequest,
  type DebugWords,
  keptOf,
  nodeContainer,
  readDebugRequest,
} from '../debug/debug-request.ts';
import { DEBUG_PROFILES } from '../debug/profiles.ts';
import { openStore } from '../base/environment.ts';
import { mustFindType } from '../select/resource-arguments.ts';
import { append } from '../select/selection-flags.ts';
import type { Cli, RunVerb } from '../base/cli.ts';

const EXAMPLES = `
With -i or --attach, podrun exits with the exit code of the command.

Examples:
  podrun debug web -it                          # a shell beside the containers of the Pod
  podrun debug web -it --target=app             # with the environment and the working directory of container app
  podrun debug web --attach -- ss -tlnp         # shows the output of the command until the command ends
  podrun debug web --copy-to=web-debug -c app -- sleep 60     # a copy without probes, with another command
  podrun debug web -c probe -- curl -s localhost:8080/healthz
  podrun logs web -c probe
`;

/** `podrun debug`: starts an ephemeral container in a running Pod. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('debug')
    .summary('Run a command beside the containers of a running Pod')
    .description(
      'Adds an ephemeral container to a running Pod. podrun starts it once; it changes no other container, and is ' +
        'stopped with the Pod. With --copy-to, runs a copy of the Pod instead; with node/NAME, a Pod on this machine.',
    )
    .usage('(POD | pod/POD | node/NODE) [flags] [-- COMMAND ARGS...]')
    .argument('[pod]', 'the Pod, or node/NAME')
    .option('-c, --container <name>', 'name of the new container (default: debugger-xxxxx)')
    .option('--image <name>', 'its image (default: the image of --target, else "host", with sh as its command)')
    .option('--target <container>', 'use the environment and the working directory of this container')
    .option('-i, --stdin', 'send standard input to the container', false)
    .option('-t, --tty', 'run it in a terminal', false)
    .option(
      '--env <name=value>',
      'set an environment variable, as NAME=VALUE; may be given several times',
      variable,
      [],
    )
    .option('--arguments-only', 'the words behind -- are the arguments of the image, not its command', false)
    .option('--copy-to <name>', 'debug a copy of the Pod, with this name, instead of the Pod')
    .option('--set-image <pair>', 'with --copy-to: CONTAINER=IMAGE, or *=IMAGE; may be given several times', pairs, [])
    .option('--same-node', 'with --copy-to: the copy is on the node of the Pod', false)
    .option('--share-processes', 'with --copy-to: the containers see the processes of each other (default)', true)
    .option('--no-share-processes', 'with --copy-to: they do not')
    .option('--replace', 'with --copy-to: delete the Pod as soon as the copy is made', false)
    .option('--keep-labels', 'with --copy-to: the copy has the labels of the Pod', false)
    .option('--keep-annotations', 'with --copy-to: its annotations', false)
    .option('--keep-liveness', 'with --copy-to: its liveness probes', false)
    .option('--keep-readiness', 'with --copy-to: its readiness probes', false)
    .option('--keep-startup', 'with --copy-to: its startup probes', false)
    .option('--keep-init-containers', 'with --copy-to: its init containers run (default)', true)
    .option('--no-keep-init-containers', 'with --copy-to: they do not')
    .option('--custom <file>', 'a part of a container in JSON or YAML: its fields are added to the new container')
    .addOption(new Option('--profile <name>', 'what the new container may do').choices(DEBUG_PROFILES))
    .option('--attach', 'show its output until it ends (default with -i)')
    .option('--no-attach', 'do not wait for its end (default without -i)')
    .option('-q, --quiet', 'print the output of the container only', false)
    .option('-n, --namespace <name>', 'namespace of the Pod (default: "default")')
    .addHelpText('after', EXAMPLES)
    .action((pod: string | undefined, flags: DebugFlags) =>
      run((cli) => debug(cli, { pod, command: cli.line.command }, flags)),
    );
}

/** Source: kubectl/pkg/cmd/debug/debug.go, Validate. */
const LEGACY =
  '--profile=legacy is deprecated and planned to be removed in v1.39. It is recommended to specify other profile, ' +
  'for example "--profile=general".\n';

function pairs(text: string, before: readonly string[]): readonly string[] {
  return text.split(',').reduce((all: readonly string[], pair) => variable(pair, all), before);
}

function variable(text: string, before: readonly string[]): readonly string[] {
  if (!text.includes('=')) throw new InvalidArgumentError(`${text} must be formatted as key=value.`);
  return append(text, before);
}

async function debug(cli: Cli, words: DebugWords, flags: DebugFlags): Promise<number> {
  const request = readDebugRequest(cli, words, flags);
  if (flags.profile === 'legacy') cli.stderr.write(LEGACY);
  const { clock } = cli;
  const store = openStore(cli);
  if (request.isNode) return debugNode(cli, store, request, flags);
  const { namespace, name } = request;
  const ref: ObjectRef = { type: mustFindType('pods'), namespace, name };
  const pod = store.get<StoredPod>('pods', namespace, name);
  if (pod === undefined) throw missingObjectError(store, ref);
  if (flags.copyTo !== undefined) return debugInCopy(cli, pod, request, flags);
  mustBeRun(store, pod);
  const container = debugContainer(pod, request, flags);
  printContainerNotes(cli, container, flags);
  const changed = addContainer(cli, store, ref, container);
  if (!request.attach) return EXIT.ok;
  const { stdin, tty } = flags;
  const end = await attachToContainer(cli, { store, clock, pod: changed, container: container.name, stdin, tty });
  return end.exitCode;
}

/** Runs a copy of the Pod in the background, with the container for debugging. */
async function debugInCopy(cli: Cli, pod: StoredPod, request: DebugRequest, flags: DebugFlags): Promise<number> {
  const container = copiedContainer(pod, request, flags);
  if (container !== undefined && !flags.container && !cli.isQuiet)
    cli.stdout.write(`Defaulting debug container name to ${container.name}.\n`);
  const object = debugCopy(pod, {
    name: flags.copyTo ?? '',
    container,
    images: new Map(flags.setImage.map((pair) => pair.split(/=(.*)/s) as [string, string])),
    // The old profile shares nothing by itself.
    sharesProcesses: flags.shareProcesses && flags.profile !== 'legacy',
    isOnSameNode: flags.sameNode,
    keeps: keptOf(flags),
    custom: request.custom,
  });
  const replaced = flags.replace ? pod : undefined;
  return runDebugger(cli, { object, container: container?.name, replaced }, request, flags);
}

/** Runs a Pod that debugs a node, in the background. */
async function debugNode(cli: Cli, store: FileStore, request: DebugRequest, flags: DebugFlags): Promise<number> {
  const { name } = request;
  const nodes = withClusterObjects(store, { stateDir: store.root, nowMs: cli.clock.now().wallMs });
  const ref: ObjectRef = { type: mustFindType('nodes'), namespace: DEFAULT_NAMESPACE, name };
  if (getObject(nodes, ref) === undefined) throw missingObjectError(nodes, ref);
  const container = nodeContainer(request, flags);
  const object = nodeDebugger(name, container, flags.profile ?? 'general', request.custom);
  if (!cli.isQuiet)
    cli.stdout.write(
      `Creating debugging pod ${object.metadata.name} with container ${container.name} on node ${name}.\n`,
    );
  return runDebugger(cli, { object, container: container.name }, request, flags);
}

interface PodForDebugging {
  readonly object: KubeObject;
  /** The container for debugging. Undefined: there is none. */
  readonly container: string | undefined;
  /** The Pod that ends at once, when the new one is made. */
  readonly replaced?: StoredPod | undefined;
}

/** Runs a Pod in the background, and connects podrun's standard streams with its container for debugging. */
async function runDebugger(
  cli: Cli,
  { object, container, replaced }: PodForDebugging,
  { attach, namespace }: DebugRequest,
  { stdin, tty }: DebugFlags,
): Promise<number> {
  const running = { detach: true, logs: false, awaitsClient: attach };
  const output = { output: undefined, template: undefined, allowMissingTemplateKeys: true, showManagedFields: false };
  const created = await createFromFlags(cli.silenced(), { object, running }, { ...output, namespace, dryRun: 'none' });
  const store = openStore(cli);
  if (replaced !== undefined && created === EXIT.ok) {
    const author = authorOfCommand(cli);
    await deletePod({ store, clock: cli.clock, ...replaced.metadata, graceSeconds: 0, author });
  }
  const pod = store.get<StoredPod>('pods', namespace, object.metadata.name ?? '');
  if (!attach || container === undefined || created !== EXIT.ok || pod === undefined) return created;
  const end = await attachToContainer(cli, { store, clock: cli.clock, pod, container, stdin, tty });
  return end.exitCode;
}

/**
 * Refuses an ephemeral container that would never start. The API server accepts it for any Pod.
 * @throws {PodrunError} when the Pod has ended, is being deleted, or has lost its agent
 */
function mustBeRun(store: FileStore, { metadata, status }: StoredPod): void {
  const { namespace, name } = metadata;
  if (isTerminalPhase(status.phase)) {
    const hint = `See its record with podrun describe pod ${name} and podrun logs ${name}.`;
    throw completedPod('add an ephemeral container to', status.phase, hint);
  }
  if (!store.owners.isOwned(namespace, name)) {
    throw noAgent(name, 'podrun cannot start an ephemeral container', 'Run it again with podrun apply.');
  }
  if (metadata.deletionTimestamp === undefined) return;
  throw new PodrunError('NotRunning', `pod "${name}" is being terminated: podrun cannot start an ephemeral container`);
}

/** Prints kubectl's messages about the container. */
function printContainerNotes(cli: Cli, { name, targetContainerName }: EphemeralContainer, flags: DebugFlags): void {
  if (cli.isQuiet) return;
  if (targetContainerName !== undefined) {
    cli.stdout.write(
      `Targeting container "${targetContainerName}". If you don't see processes from this container it may be ` +
        "because the container runtime doesn't support this feature.\n",
    );
  }
  if (!flags.container) cli.stdout.write(`Defaulting debug container name to ${name}.\n`);
}

/**
 * Adds the container. Returns the changed Pod.
 * @throws {PodrunError} in the API server's words
 */
function addContainer(cli: Cli, store: FileStore, ref: ObjectRef, container: EphemeralContainer): StoredPod {
  const { object } = changeObject({
    store,
    ref,
    subresource: 'ephemeralcontainers',
    change: (stored) => {
      const { spec } = stored as unknown as StoredPod;
      return { ...stored, spec: { ...spec, ephemeralContainers: [...(spec.ephemeralContainers ?? []), container] } };
    },
    warn: cli.warn,
    isDryRun: false,
  });
  return object as unknown as StoredPod;
}
