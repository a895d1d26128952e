import { type Command, Option } from 'commander';
import {
  allContainerStatuses,
  DEFAULT_NAMESPACE,
  EXIT,
  isTerminalPhase,
  type KubeObject,
  parseAnnotationPairs,
  parseLabelPairs,
  resourceTypeOf,
  type StoredPod,
  usage,
} from '../../api/index.ts';
import { waitForPod } from '../../apiserver/index.ts';
import { podToRun, serviceToExpose } from '../../manifest/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { reportErrors } from '../base/report-error.ts';
import { type CreateFlags, createFromFlags, type WantedObject, withCreateFlags } from '../create/create-object.ts';
import { attachToContainer } from '../debug/attach-container.ts';
import { countOption, usageErrorf } from '../flags/options.ts';
import { append } from '../select/selection-flags.ts';
import { deleteAndWait } from './delete.ts';

interface RunFlags extends AttachedRunFlags {
  readonly image: string | undefined;
  readonly command: boolean;
  readonly env: readonly string[];
  readonly port: number | undefined;
  readonly expose: boolean;
  readonly labels: string | undefined;
  readonly annotations: readonly string[];
  readonly restart: string;
  readonly imagePullPolicy: string | undefined;
  readonly privileged: boolean;
  /** Undefined: as --stdin says. */
  readonly attach: boolean | undefined;
  readonly rm: boolean;
  readonly detach: boolean;
  readonly until: string | undefined;
  readonly timeout: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun run hello --image=busybox --restart=Never --command -- echo hello
  podrun run wait --image=busybox -d --command sleep 1000
  podrun run shell -it --rm --image=busybox --restart=Never --command -- sh
  podrun run site --image=nginx --port=80 --env=LEVEL=debug --dry-run=client -o yaml
  podrun run server --image=busybox -d --command -- sleep 1000
`;

/** `podrun run`: makes a Pod without a manifest, and runs it. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('run')
    .summary('Run a Pod without a manifest')
    .description(
      'Makes a Pod of one container from flags, and runs it as apply runs the same manifest. With -i, connects ' +
        'standard input, output and error with the container, and exits with its exit code.',
    )
    .usage('NAME --image=IMAGE [flags] [--command] [-- COMMAND ARGS...]')
    .argument('[name...]', 'the name of the Pod; its command may follow without --, if no word of it is a flag');
  withCreateFlags(command)
    .option('--image <image>', 'the image of its container')
    .option('--command', 'the words behind the name or -- replace the command of the image, not its arguments', false)
    .option('--env <pair>', 'a variable, KEY=VALUE; may be given several times', append, [])
    .addOption(countOption('--port <number>', 'the port of the container'))
    .option('--expose', 'also create a Service for the port', false)
    .option('-l, --labels <list>', 'labels of the Pod, KEY=VALUE,... (default: run=NAME)')
    .option('--annotations <pair>', 'an annotation, KEY=VALUE; may be given several times', append, [])
    .option('--restart <policy>', 'restart policy: Always, OnFailure or Never', 'Always')
    .addOption(new Option('--image-pull-policy <policy>').choices(['Always', 'IfNotPresent', 'Never']))
    .option('--privileged', 'run the container in privileged mode', false)
    .option('-i, --stdin', 'send standard input to the container', false)
    .option('-t, --tty', 'give the container a terminal', false)
    .option('--attach', 'connect with the container (default: with -i)')
    .option('--leave-stdin-open', 'with -i: keep the input open for the next client', false)
    .option('--rm', 'delete the Pod when it has ended, or podrun is interrupted', false)
    .option('-d, --detach', 'leave the Pod running in the background', false)
    .option('--until <goal>', 'as with apply: end the Pod when it has met this goal')
    .option('--timeout <duration>', 'as with apply: give up after this long')
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: RunFlags) => run((cli) => runPod(cli, words, flags)));
}

/** Source: kubectl/pkg/cmd/run/run.go. */
async function runPod(cli: Cli, words: readonly string[], flags: RunFlags): Promise<number> {
  const name = checkedName(words, flags);
  const { detach, until, timeout, dryRun } = flags;
  // The command may stand without `--`, where none of its words is a flag.
  const command = [...words.slice(1), ...(cli.line.command ?? [])];
  const object = podOf(name, command, flags);
  if (flags.expose) {
    await createFromFlags(cli, { object: serviceOf(name, flags) }, flags);
    if (dryRun !== 'none' && flags.output === 'yaml') cli.stdout.write('---\n');
  }
  const before = flags.rm ? uidOf(cli, name, flags) : undefined;
  try {
    if (isAttached(flags)) return await runAttached(cli, { object }, flags);
    return await createFromFlags(
      cli,
      { object, running: { detach, timeout, until: until === undefined ? [] : [until] } },
      flags,
    );
  } finally {
    // A Pod that had the name before stays.
    if (flags.rm && uidOf(cli, name, flags) !== before) await remove(cli, object, flags);
  }
}

/**
 * Checks the flags, and returns the name of the Pod.
 * @throws {PodrunError} (usage) in kubectl's words
 */
function checkedName(words: readonly string[], flags: RunFlags): string {
  const [name] = words;
  if (!flags.image) throw usage('required flag(s) "image" not set');
  if (name === undefined) throw usageErrorf('run', 'NAME is required for run');
  if (!['Always', 'OnFailure', 'Never'].includes(flags.restart)) {
    throw usageErrorf('run', `invalid restart policy: ${flags.restart}`);
  }
  if (flags.tty && !flags.stdin) throw usage('-i/--stdin is required for containers with -t/--tty=true');
  if (flags.expose && flags.port === undefined) throw usage('--port must be set when exposing a service');
  if (isAttached(flags) && flags.dryRun !== 'none') {
    const options = '(--attach, --stdin, or --tty)';
    throw usage(`--dry-run=[server|client] can't be used with attached containers options ${options}`);
  }
  if (isAttached(flags) && (flags.detach || flags.until !== undefined || flags.timeout !== undefined)) {
    throw usage('-i and --attach cannot be used with --detach, --until or --timeout');
  }
  if (flags.rm && (flags.detach || flags.dryRun !== 'none')) {
    throw usage('--rm should only be used for attached containers', 'Leave out --detach and --dry-run.');
  }
  return name;
}

function isAttached({ attach, stdin }: RunFlags): boolean {
  return attach ?? stdin;
}

function podOf(name: string, words: readonly string[], flags: RunFlags): KubeObject {
  const { image = '', stdin, tty } = flags;
  return podToRun({
    name,
    image,
    words,
    isCommand: flags.command,
    labels: labelsIn(flags) ?? { run: name },
    annotations: Object.fromEntries(parseAnnotationPairs(flags.annotations).set),
    env: flags.env.map(variableOf),
    port: flags.port,
    restartPolicy: flags.restart,
    imagePullPolicy: flags.imagePullPolicy,
    isPrivileged: flags.privileged,
    stdin,
    stdinOnce: stdin && !flags.leaveStdinOpen,
    tty,
  });
}

/** The Service of --expose. Source: run.go generateService. */
function serviceOf(name: string, flags: RunFlags): KubeObject {
  const labels = labelsIn(flags);
  const port = { port: flags.port ?? 0, protocol: 'TCP' };
  const rest = { targetPort: undefined, type: undefined, clusterIP: undefined, sessionAffinity: undefined };
  return serviceToExpose({ name, labels, selector: labels ?? { run: name }, ports: [port], ...rest });
}

function labelsIn({ labels }: RunFlags): Readonly<Record<string, string>> | undefined {
  return labels ? Object.fromEntries(parseLabelPairs(labels.split(',')).set) : undefined;
}

function uidOf(cli: Cli, name: string, { namespace }: RunFlags): string | undefined {
  return openStore(cli).get<StoredPod>('pods', namespace || DEFAULT_NAMESPACE, name)?.metadata.uid;
}

/** Deletes the Pod, and prints kubectl's line. */
async function remove(cli: Cli, object: KubeObject, flags: RunFlags): Promise<void> {
  const namespace = flags.namespace || DEFAULT_NAMESPACE;
  const ref = { type: resourceTypeOf(object), namespace, name: object.metadata.name ?? '' };
  const session = {
    store: openStore(cli),
    clock: cli.clock,
    graceSeconds: undefined,
    propagation: 'Background',
  } as const;
  const deletion = { ignoresMissing: true, dryRun: 'none', output: undefined, wait: true, waitMs: Infinity } as const;
  reportErrors(cli.stderr, await deleteAndWait(cli, session, [ref], deletion));
}

/** @throws {PodrunError} (usage) in kubectl's words */
function variableOf(pair: string): { name: string; value: string } {
  const equals = pair.indexOf('=');
  if (equals <= 0) throw usage(`invalid env: ${pair}`);
  return { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
}

/** The flags of a run that podrun's standard streams are connected with. */
export interface AttachedRunFlags extends CreateFlags {
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly leaveStdinOpen: boolean;
}

/**
 * Runs a Pod of one container in the background, connects podrun's standard streams with it, and returns its exit code.
 * A Pod with restartPolicy Always keeps running. Source: kubectl/pkg/cmd/run/run.go handleAttachPod.
 */
async function runAttached(cli: Cli, { object }: WantedObject, flags: AttachedRunFlags): Promise<number> {
  const running = { detach: true, logs: false, awaitsClient: true } as const;
  const created = await createFromFlags(cli.silenced(), { object, running }, flags);
  const store = openStore(cli);
  const { name = '', namespace = flags.namespace || DEFAULT_NAMESPACE } = object.metadata;
  const pod = store.get<StoredPod>('pods', namespace, name);
  if (created !== EXIT.ok || pod === undefined) return created;
  const { stdin, tty, leaveStdinOpen } = flags;
  const { clock } = cli;
  const seen = await attachToContainer(cli, { store, clock, pod, container: name, stdin, tty });
  if (seen.isStopped) return seen.exitCode;
  if (leaveStdinOpen || (pod.spec.restartPolicy ?? 'Always') === 'Always') return EXIT.ok;
  return endOf(cli, store, pod);
}

/** Waits for the end of the Pod. Returns the exit code of its container, and says in kubectl's words how it failed. */
async function endOf(cli: Cli, store: FileStore, pod: StoredPod): Promise<number> {
  const { namespace, name } = pod.metadata;
  const { status } = await waitForPod({ store, clock: cli.clock }, pod, ({ status: { phase } }) =>
    isTerminalPhase(phase),
  );
  const ended = allContainerStatuses(status)[0]?.state?.terminated;
  if (status.phase === 'Succeeded' || ended === undefined) return EXIT.ok;
  const { reason = '', message = '', exitCode } = ended;
  cli.stderr.write(`${`pod ${namespace}/${name} terminated (${reason})\n${message}`.trimEnd()}\n`);
  return exitCode || EXIT.failed;
}
