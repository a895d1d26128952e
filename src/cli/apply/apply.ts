import { type Command, InvalidArgumentError, Option } from 'commander';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { formatGoDuration } from '../../api/duration.ts';
import { CRASH_LOOP } from '../../lifecycle/plan/back-off.ts';
import { SETTLE_MS } from '../../lifecycle/requests/goal-watch.ts';
import { countOption } from '../count-option.ts';
import { RUNTIME_CHOICES, type RuntimeChoice } from '../../api/runtime-choice.ts';

/** What stands on the command line of `apply`, as it was written. */
export interface ApplyFlags extends OutputFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly namespace: string | undefined;
  readonly until: string | undefined;
  readonly timeout: string | undefined;
  /** How long a container that no probe vouches for must have run before it counts as Ready. */
  readonly settle: string;
  /** Containers may end, as long as they come back. */
  readonly allowRestarts: boolean;
  /** Leave the Pods to a background agent. */
  readonly detach: boolean;
  /** Of `detach`: not before they are Ready. */
  readonly wait: boolean;
  readonly logs: boolean;
  /** Undefined: where GitHub Actions runs podrun. */
  readonly annotations: 'github' | 'none' | undefined;
  readonly image: readonly string[];
  readonly config: string | undefined;
  /** Undefined: as podrun.yaml says, else that of the host. */
  readonly network: 'host' | 'pod' | undefined;
  readonly backoffInitial: string;
  readonly backoffMax: string;
  /** Where no cgroup limits memory: `poll` looks how much there is. */
  readonly enforceMemory: 'poll' | undefined;
  /** How many Pods that have ended stay on record; undefined: all. */
  readonly keep: number | undefined;
  /** The folder that a report is left in. */
  readonly report: string | undefined;
  /** A file of what is to happen. */
  readonly expect: string | undefined;
  readonly dryRun: 'client' | 'server' | 'none';
  readonly validate: 'strict' | 'warn' | 'ignore';
  /** A field that has no effect is an error. */
  readonly strict: boolean;
  /** Containers get copies of the folders that people work in, too. */
  readonly isolate: boolean;
  readonly strictPid1: boolean;
  /** What a security context asks for and cannot have here is told, and the container starts. */
  readonly bestEffort: boolean;
  readonly runtime: RuntimeChoice | undefined;
  /** What is told of an object that was not there: `created`, unless this is the second half of `replace`. */
  readonly made?: 'replaced';
  readonly stateDir: string | undefined;
}

/** What commander hands over: flags without a default are there only when they were written. */
type GivenFlags = Omit<ApplyFlags, Optional | 'stateDir'> & Partial<Pick<ApplyFlags, Optional>>;
type Optional =
  | 'filename'
  | 'recursive'
  | 'image'
  | 'dryRun'
  | 'strict'
  | 'bestEffort'
  | 'detach'
  | 'wait'
  | 'isolate'
  | 'strictPid1'
  | 'settle'
  | 'allowRestarts';

const UNLESS_GIVEN = {
  recursive: false,
  image: [],
  dryRun: 'none',
  strict: false,
  bestEffort: false,
  detach: false,
  wait: false,
  isolate: false,
  strictPid1: false,
  settle: formatGoDuration(SETTLE_MS),
  allowRestarts: false,
} as const;

const EXIT_CODES = `
Exit codes:
  0    every Pod Succeeded, or the goal of --until was met
  1    a Pod Failed, or the goal cannot be met any more, or a Pod did not stay ready: a container
       ended by itself;
       or all that is left waits for images that no program stands for;
       or a Pod that runs cannot be changed like this
  2    the command line or a manifest is wrong; nothing was started
  124  --timeout passed; the Pods were terminated gracefully
  129  the terminal is gone (SIGHUP)
  130  interrupted (SIGINT); a second Ctrl-C kills
  141  nobody reads the output any more (SIGPIPE)
  143  terminated (SIGTERM)
  With -- COMMAND: the exit code of COMMAND; 1 when it is 0 and a container ended meanwhile by itself.
  With --detach: 0 as soon as the Pods run in the background; with --wait, --until, --timeout or
  COMMAND as above, but whatever happens, the Pods go on.

Variables of COMMAND, beside its own:
  PODRUN_STATE_DIR, PODRUN_NAMESPACE   where podrun keeps the Pods, so that podrun exec finds them
  PODRUN_POD_IP                        the address of the Pod named pod
  PODRUN_POD_PORT_HTTP                 the number of its containerPort named http; also PODRUN_POD_PORT_8080
  Names are in capitals, with _ for other characters. With one Pod also PODRUN_IP, PODRUN_PORT_HTTP.

Examples:
  podrun apply pod.yaml
  podrun apply -f pod.yaml --until ready --timeout 60s -- ./smoke.sh
  podrun apply -f pod.yaml --report reports/web
  podrun apply -d --wait -f pod.yaml && ./smoke.sh; podrun delete -f pod.yaml
  kubectl get pod web -o yaml | podrun apply -f - --image 'nginx:*=nginx -g "daemon off;"'
`;

const SETTLE_HELP = 'Ready counts once a container without readiness and startup probe has run so long; 0: at once';

const append = (value: string, before: readonly string[] | undefined): readonly string[] => [...(before ?? []), value];

/** Unifies the ways in which kubectl lets one say how to validate. */
function validation(value: string): ApplyFlags['validate'] {
  const modes: Readonly<Record<string, ApplyFlags['validate']>> = {
    true: 'strict',
    strict: 'strict',
    warn: 'warn',
    false: 'ignore',
    ignore: 'ignore',
  };
  const mode = modes[value];
  if (mode === undefined) throw new InvalidArgumentError('Allowed choices are strict, warn, ignore.');
  return mode;
}

function annotationsOption(): Option {
  const what = 'groups and annotations for the log of a job (on in GitHub Actions)';
  return new Option('--annotations <kind>', what).choices(['github', 'none']);
}

export function registerApply(
  program: Command,
  command: readonly string[] | undefined,
  done: (exitCode: number) => void,
): void {
  withOutputFlags(program.command('apply'), ['text'])
    .summary('Run Pods, in the foreground or in the background')
    .description(
      'Runs the Pods of manifests in the foreground, and shows what happens to them until they have ended; ' +
        'with --detach, leaves them to the background. ' +
        'Pods that run already under another podrun are changed as the manifests say.',
    )
    .usage('[flags] -f FILE|DIR|- | FILE... [-- COMMAND ARGS...]')
    .argument('[files...]', 'manifests, folders of manifests, or - for standard input')
    .option('-f, --filename <file>', 'the same; may be given several times', append)
    .option('-R, --recursive', 'read folders with all that is below them')
    .option('-n, --namespace <name>', 'namespace of objects that name none')
    .option('--until <goal>', 'ready, succeeded, failed or CONDITION[=STATUS]: end the Pods as soon as all got there')
    .option('--timeout <duration>', 'give up after this long, for example 60s or 2m30s')
    .option('--settle <duration>', SETTLE_HELP, formatGoDuration(SETTLE_MS))
    .option('--allow-restarts', 'a container may end after the goal was reached, if it is Ready again at the end')
    .option('-d, --detach', 'leave the Pods running in the background')
    .option('--wait', 'with --detach: wait until the Pods are Ready, or got where --until says')
    .option('--no-logs', 'do not show what containers print')
    .addOption(annotationsOption())
    .option('--image <name=command>', 'program of an image, for example "redis:*=redis-server"', append)
    .option('--config <file>', 'use this file in place of the podrun.yaml found upward from here')
    .addOption(
      new Option('--network <kind>', 'pod: each Pod has a network of its own (default: host)').choices(['host', 'pod']),
    )
    .option(
      '--backoff-initial <duration>',
      'delay before the second restart of a container',
      formatGoDuration(CRASH_LOOP.initialMs),
    )
    .option('--backoff-max <duration>', 'longest delay between restarts', formatGoDuration(CRASH_LOOP.maxMs))
    .addOption(
      new Option('--enforce-memory <how>', 'watch memory limits where no cgroup enforces them').choices(['poll']),
    )
    .option('--expect <file>', 'exit with 1 unless this happens as well (see podrun expect)')
    .addOption(countOption('--keep <number>', 'afterwards, keep only so many Pods that have ended (see podrun gc)'))
    .option('--report <folder>', 'leave timeline.html, junit.xml, pods.json, events.json and logs/ there')
    .addOption(
      new Option('--dry-run [mode]', 'validate and default only; print the objects with -o')
        .choices(['none', 'client', 'server'])
        .preset('client'),
    )
    .option('--validate <mode>', 'unknown and duplicate fields: strict, warn or ignore', validation, 'strict')
    .option('--strict', 'a field that would have no effect is an error: nothing is started')
    .option('--best-effort', 'start containers also without what of their security context cannot be had here')
    .addOption(
      new Option(
        '--runtime <tier>',
        'how containers are kept apart: by namespaces, not at all, or as this machine permits',
      ).choices(RUNTIME_CHOICES),
    )
    .option('--isolate', 'give containers copies of the current folder, the home folder and /tmp, too')
    .option('--strict-pid1', 'make the main process of a container process 1, as on a node')
    .addHelpText('after', EXIT_CODES)
    .action(async (files: string[], given: GivenFlags) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { apply } = await import('./apply-session.ts');
      const filename = [...(given.filename ?? []), ...files];
      const flags: ApplyFlags = { ...UNLESS_GIVEN, ...given, filename, stateDir };
      done(await apply(flags, command));
    });
}
