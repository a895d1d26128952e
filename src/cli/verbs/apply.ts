import { type Command, InvalidArgumentError, Option } from 'commander';
import { withOutputFlags } from '../output/output-flags.ts';
import { formatGoDuration } from '../../api/duration.ts';
import { CRASH_LOOP } from '../../lifecycle/plan/back-off.ts';
import { SETTLE_MS } from '../../lifecycle/requests/goal-watch.ts';
import { countOption } from '../flags/count-option.ts';
import { RUNTIME_CHOICES } from '../../machine/runtime-choice.ts';
import type { ApplyFlags } from '../apply/apply-flags.ts';
import { apply } from '../apply/apply-session.ts';
import type { RunVerb } from '../verb.ts';

/** The flags as commander answers them: a flag without a default is missing unless the user wrote it. */
type GivenFlags = Omit<ApplyFlags, Optional> & Partial<Pick<ApplyFlags, Optional>>;
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

/** Reads `--validate`, which kubectl lets one write in several ways. */
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

/** `podrun apply`: runs the Pods of manifests, in the foreground or in the background. */
export function register(program: Command, run: RunVerb): void {
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
    .action((files: string[], given: GivenFlags) =>
      run((cli) =>
        apply(cli, { ...UNLESS_GIVEN, ...given, filename: [...(given.filename ?? []), ...files] }, cli.line.command),
      ),
    );
}
