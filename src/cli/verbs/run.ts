import { type Command, Option } from 'commander';
import { usage } from '../../api/errors.ts';
import { parseAnnotationPairs, parseLabelPairs } from '../../api/select/key-pairs.ts';
import { podToRun } from '../../manifest/generate/workloads.ts';
import type { Cli } from '../cli.ts';
import { type CreateFlags, createFromFlags, withCreateFlags } from '../create/create-object.ts';
import { countOption } from '../flags/count-option.ts';
import { usageErrorf } from '../flags/usage-of.ts';
import { append } from '../select/selection-flags.ts';
import type { RunVerb } from '../verb.ts';

/** The flags of `run`. */
interface RunFlags extends CreateFlags {
  readonly image: string | undefined;
  readonly command: boolean;
  readonly env: readonly string[];
  readonly port: number | undefined;
  readonly labels: string | undefined;
  readonly annotations: readonly string[];
  readonly restart: string;
  readonly imagePullPolicy: string | undefined;
  readonly privileged: boolean;
  readonly detach: boolean;
  readonly until: string | undefined;
  readonly timeout: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun run hello --image=busybox --restart=Never --command -- echo hello
  podrun run site --image=nginx --port=80 --env=LEVEL=debug --dry-run=client -o yaml
  podrun run server --image=busybox -d --command -- sleep 1000
`;

/** `podrun run`: makes a Pod without a manifest, and runs it. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('run')
    .summary('Run a Pod without a manifest')
    .description('Makes a Pod of one container from flags, and runs it as apply runs the same manifest.')
    .usage('NAME --image=IMAGE [flags] [--command] [-- COMMAND ARGS...]')
    .argument('[name...]', 'the name of the Pod');
  withCreateFlags(command)
    .option('--image <image>', 'the image of its container')
    .option('--command', 'the words behind -- replace the command of the image, not its arguments', false)
    .option('--env <pair>', 'a variable, KEY=VALUE; may be given several times', append, [])
    .addOption(countOption('--port <number>', 'the port of the container'))
    .option('-l, --labels <list>', 'labels of the Pod, KEY=VALUE,... (default: run=NAME)')
    .option('--annotations <pair>', 'an annotation, KEY=VALUE; may be given several times', append, [])
    .option('--restart <policy>', 'restart policy: Always, OnFailure or Never', 'Always')
    .addOption(new Option('--image-pull-policy <policy>').choices(['Always', 'IfNotPresent', 'Never']))
    .option('--privileged', 'run the container in privileged mode', false)
    .option('-d, --detach', 'leave the Pod running in the background', false)
    .option('--until <goal>', 'as with apply: end the Pod when it has met this goal')
    .option('--timeout <duration>', 'as with apply: give up after this long')
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: RunFlags) => run((cli) => runPod(cli, words, flags)));
}

/** Source: kubectl/pkg/cmd/run/run.go. */
function runPod(cli: Cli, words: readonly string[], flags: RunFlags): Promise<number> {
  const [name] = words;
  if (!flags.image) throw usage('required flag(s) "image" not set');
  if (name === undefined || words.length > 1) throw usageErrorf('run', 'NAME is required for run');
  if (!['Always', 'OnFailure', 'Never'].includes(flags.restart)) {
    throw usageErrorf('run', `invalid restart policy: ${flags.restart}`);
  }
  const object = podToRun({
    name,
    image: flags.image,
    words: cli.line.command ?? [],
    isCommand: flags.command,
    labels: flags.labels ? Object.fromEntries(parseLabelPairs(flags.labels.split(',')).set) : { run: name },
    annotations: Object.fromEntries(parseAnnotationPairs(flags.annotations).set),
    env: flags.env.map(variableOf),
    port: flags.port,
    restartPolicy: flags.restart,
    imagePullPolicy: flags.imagePullPolicy,
    isPrivileged: flags.privileged,
  });
  const { detach, until, timeout } = flags;
  return createFromFlags(cli, { object, running: { detach, until, timeout } }, flags);
}

/** @throws {PodrunError} (usage) in kubectl's words */
function variableOf(pair: string): { name: string; value: string } {
  const equals = pair.indexOf('=');
  if (equals <= 0) throw usage(`invalid env: ${pair}`);
  return { name: pair.slice(0, equals), value: pair.slice(equals + 1) };
}
