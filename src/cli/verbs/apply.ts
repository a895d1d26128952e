import { usage } from '../../api/index.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { withOutputFlags } from '../output/output-flags.ts';
import { formatGoDuration } from '../../api/index.ts';
import { JOB_BACKOFF } from '../../controllers/index.ts';
import { CRASH_LOOP, SETTLE_MS, SOURCE_CHOICES } from '../../lifecycle/index.ts';
import { dryRunOption } from '../change/change-line.ts';
import { countOption, speedFactor } from '../flags/options.ts';
import { groupApplyFlags } from '../help/apply-groups.ts';
import { EGRESS_CHOICES, NETWORK_CHOICES, PROXY_CHOICES, RUNTIME_CHOICES } from '../../machine/index.ts';
import { splitAwaited } from '../apply/object-goals.ts';
import { type ApplyFlags, NODES_HELP, OVERCOMMIT_HELP, SECCOMP_ROOT_HELP, ZONES_HELP } from '../flags/apply-flags.ts';
import { apply } from '../apply/apply-session.ts';
import type { Cli, RunVerb } from '../base/cli.ts';

/** The flags as commander returns them: a flag without a default is missing unless the user wrote it. */
export type GivenFlags = Omit<ApplyFlags, Optional> & Partial<Pick<ApplyFlags, Optional>>;
type Optional =
  | 'filename'
  | 'recursive'
  | 'image'
  | 'onClusterImage'
  | 'until'
  | 'strict'
  | 'bestEffort'
  | 'detach'
  | 'wait'
  | 'isolate'
  | 'overcommit'
  | 'strictPid1'
  | 'settle'
  | 'inject'
  | 'allowRestarts';

const UNLESS_GIVEN = {
  recursive: false,
  image: [],
  onClusterImage: [],
  until: [],
  strict: false,
  bestEffort: false,
  detach: false,
  wait: false,
  isolate: false,
  overcommit: false,
  strictPid1: false,
  settle: formatGoDuration(SETTLE_MS),
  inject: [],
  allowRestarts: false,
} as const;

const UNTIL_HELP =
  'stop the Pods when all objects have met the goal: ready, up (Jobs are Complete, all else is Ready), available, ' +
  'complete, failed or CONDITION[=STATUS]; jsonpath={PATH}=VALUE TYPE/NAME: another object; may be given several times';

const EXIT_CODES = `
Exit codes:
  0    every Pod Succeeded and every Job is Complete, or the goal of --until was met
  1    a Pod or a Job Failed, or an object can no longer meet the goal;
       or a Pod did not stay ready, because a container ended by itself, or was not Ready when COMMAND ended;
       or another program has the address of a Service or Ingress;
       or all unfinished Pods wait for images that have no program;
       or the changes to a running Pod are not allowed
  2    the command line or a manifest is wrong; nothing was started
  124  --timeout passed; the Pods were terminated gracefully
  129  the terminal was closed (SIGHUP)
  130  interrupted (SIGINT); a second Ctrl-C kills the Pods
  141  the reader of the output has gone (SIGPIPE)
  143  terminated (SIGTERM)
  With -- COMMAND: the exit code of COMMAND. An exit code 0 becomes 1 when a container ended by itself or a Job
  failed meanwhile, or when anything is not Ready at the end.
  With --detach: 0 as soon as the Pods run in the background. With --detach and --wait, --until, --timeout or
  COMMAND: as above, but the Pods keep running in every case.

Variables that podrun adds to the environment of COMMAND:
  PODRUN_STATE_DIR, PODRUN_NAMESPACE   the state folder and the namespace: podrun exec finds the Pods there
  PODRUN_POD_IP                        the address of the Pod named pod
  PODRUN_POD_PORT_HTTP                 the number of its port named http; also PODRUN_POD_PORT_8080
  Workloads have such variables, too. Names are in capitals, with _ for other characters. With one object, also
  PODRUN_IP and PODRUN_PORT_HTTP.
  PODRUN_SHOP_URL                      the URL of the Service shop, else of an Ingress; also PODRUN_SHOP_INGRESS_URL

Faults of --inject:
  kill[:CONTAINER][@WHEN]                 SIGKILL, as by another process
  exit:CODE[:CONTAINER][@WHEN]            an end with this exit code
  oom[:CONTAINER][@WHEN]                  an end by the memory limit
  probe:TYPE[:CONTAINER]=fail[@WINDOW]    TYPE is readiness, liveness or startup
  image-pull-fail[:CONTAINER][@WINDOW]    ErrImagePull
  partition:NAME[@WINDOW]                 the network of a Pod, or of a workload's Pods, is cut off
  node[:NODE]=crash[@WINDOW]              a node of --nodes crashes; also silent, shutdown (see podrun node)
  clock+TIME[@WHEN], clock-TIME[@WHEN]    a jump of the wall clock of podrun, but not of programs
  WHEN is a time after the beginning, 5s, or a share of all starts, 20%. Without it, the seed chooses a time in the
  first 10 s. WINDOW is FROM or FROM+LENGTH, 10s+20s. Without it, the fault stays. Faults of no CONTAINER are for all.

Examples:
  podrun apply pod.yaml
  podrun apply -f pod.yaml --until ready --timeout 60s -- ./smoke.sh
  podrun apply -f pod.yaml --report reports/web
  podrun apply -d --wait -f pod.yaml && ./smoke.sh; podrun delete -f pod.yaml
  kubectl get pod web -o yaml | podrun apply -f - --image 'nginx:*=nginx -g "daemon off;"'
`;

const SETTLE_HELP = 'how long a container without readiness and startup probe must run to count as Ready; 0: no time';

const RESTARTS_HELP = 'allow containers to restart after their Pod has met the goal, if it is Ready again at the end';

const SPEED_HELP = 'let time pass faster for back-offs, probe periods, grace, deadlines and schedules, for example 60x';

const PROVIDERS_HELP = 'file or folder of the credential provider plugins, as of a kubelet';

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

function proxyOption(): Option {
  const what =
    'Services of a cluster network, nft: by rules of nftables, faster, Pods see clients (auto: for NetworkPolicies)';
  return new Option('--proxy <kind>', what).choices(PROXY_CHOICES);
}

function networkOption(): Option {
  const what = 'cluster: each Pod has its own network and reaches all Pods; pod: it reaches none (default: auto)';
  return new Option('--network <kind>', what).choices(NETWORK_CHOICES);
}

function egressOption(): Option {
  const what = 'way out of a cluster network; nat: this machine forwards packets, as root (default: auto)';
  return new Option('--egress <how>', what).choices(EGRESS_CHOICES);
}

function annotationsOption(): Option {
  const what = 'print groups and annotations for the log of a job (default in GitHub Actions)';
  return new Option('--annotations <kind>', what).choices(['github', 'none']);
}

function runtimeOption(): Option {
  const what = 'isolation of containers: namespaces, plain processes, or the best that this machine permits';
  return new Option('--runtime <tier>', what).choices(RUNTIME_CHOICES);
}

function imagesOption(): Option {
  const what = 'host: programs of this machine; registry: images; auto: images where nothing else says what to run';
  return new Option('--images <source>', what).choices(SOURCE_CHOICES);
}

function providersOption(flag: string, what: string): Option {
  return new Option(`--image-credential-provider-${flag}`, what);
}

function delayOption(flag: string, what: string, defaultMs: number): Option {
  return new Option(`${flag} <duration>`, what).default(formatGoDuration(defaultMs));
}

/** `podrun apply`: runs the Pods and workloads of manifests, in the foreground or in the background. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('apply')
    .summary('Run Pods and workloads, in the foreground or in the background')
    .description(
      'Runs the Pods and workloads of manifests in the foreground, and shows each change until they have ended. ' +
        'With --detach, runs them in the background. ' +
        'Objects that another podrun process runs already are changed as the manifests say.',
    )
    .usage('[flags] -f FILE|DIR|URL|- | -k DIR | FILE... [-- COMMAND ARGS...]')
    .argument('[files...]', 'manifests, folders of manifests, or - for standard input')
    .addHelpText('after', EXIT_CODES)
    .action((files: string[], given: GivenFlags) => run((cli) => applyCommand(cli, files, given)));
  withApplyFlags(command);
  withExperiments(command);
  groupApplyFlags(command);
}

/** Adds the flags of `apply` to a command, without the flags for experiments. */
export function withApplyFlags(command: Command): void {
  withOutputFlags(command, ['text'])
    .option('-f, --filename <file>', 'like the arguments; may be given several times', append)
    .option('-R, --recursive', 'read folders with their subfolders')
    .option('-k, --kustomize <folder>', 'the manifests of this kustomization, made by kubectl or kustomize')
    .option('-l, --selector <query>', 'only objects with these labels, for example app=web')
    .option('--static-pods <folder>', 'also run the Pods in the files of this folder, and follow its changes')
    .option('-n, --namespace <name>', 'namespace of objects without one')
    .option('--context <name>', 'run on the cluster of this context of your kubeconfig, and clean up at the end')
    .option('--kubeconfig <file>', 'like --context, with a kubeconfig of your choice')
    .option('--on-cluster-image <name=image>', 'the image of a cluster in place of one of podrun.yaml', append)
    .option('--until <goal>', UNTIL_HELP, append)
    .option('--timeout <duration>', 'give up after this long, for example 60s or 2m30s')
    .option('--settle <duration>', SETTLE_HELP, formatGoDuration(SETTLE_MS))
    .option('--allow-restarts', RESTARTS_HELP)
    .option('--api', 'serve the API beside the run (default: where the manifests need it: RBAC, CRDs, webhooks, …)')
    .option('--no-api', 'serve no API; podrun says which objects have no effect then')
    .option('--helm-hooks', 'run the hooks of a chart before and after the rest, as helm install does')
    .option('--server-side', 'merge manifests into stored objects as an API server does, by the owners of their fields')
    .option('--field-manager <name>', 'the owner of the fields of the manifests')
    .option('--force-conflicts', 'with --server-side: take fields with other values from their owners')
    .option('-d, --detach', 'leave the Pods running in the background')
    .option('--wait', 'with --detach: wait until the Pods are Ready, or meet the goal of --until')
    .option('--watch', 'follow the manifests and the programs they run: a change restarts what it concerns')
    .option('--watch-path <[container=]path>', 'with --watch: restart containers when a file there changes', append)
    .option('--rolling', 'start a changed Deployment as it ran last, and roll to the new template')
    .option('--no-logs', 'do not show what containers print')
    .option('--timestamps', 'begin each line with the time of day, in UTC')
    .addOption(annotationsOption())
    .option('--image <name=command>', 'program of an image, for example "redis:*=redis-server"', append)
    .option('--config <file>', 'use this file instead of the nearest podrun.yaml in this folder and those above')
    .addOption(networkOption())
    .addOption(proxyOption())
    .addOption(egressOption())
    .option('--no-network-host-access', 'keep Pods of a cluster network from servers on 127.0.0.1 of this machine')
    .option('--ingress-port <http,https>', 'serve Ingresses there (default: 8080,8443, or the next free ports)')
    .addOption(delayOption('--backoff-initial', 'delay before the second restart of a container', CRASH_LOOP.initialMs))
    .addOption(delayOption('--backoff-max', 'longest delay between restarts', CRASH_LOOP.maxMs))
    .addOption(delayOption('--job-backoff-initial', 'delay after the first failed Pod of a Job', JOB_BACKOFF.initialMs))
    .addOption(delayOption('--job-backoff-max', 'longest delay after a failed Pod of a Job', JOB_BACKOFF.maxMs))
    .addOption(
      new Option(
        '--enforce-memory <how>',
        'poll the memory use of containers where no cgroup enforces their limits',
      ).choices(['poll']),
    )
    .option('--expect <file>', 'exit with 1 unless the run meets the expectations in this file (see podrun expect)')
    .addOption(countOption('--keep <number>', 'afterwards, remove ended Pods except this many (see podrun gc)'))
    .option('--report <folder>', 'write timeline.html, junit.xml, pods.json, events.json and logs/ to this folder')
    .addOption(dryRunOption('only validate and add defaults; print the objects with -o'))
    .option('--validate <mode>', 'unknown and duplicate fields: strict, warn or ignore', validation, 'strict')
    .option('--strict', 'refuse a Pod with a field that would have no effect')
    .option('--best-effort', 'start containers without the security settings that this machine cannot enforce')
    .addOption(runtimeOption())
    .addOption(imagesOption())
    .addOption(providersOption('config <file>', PROVIDERS_HELP))
    .addOption(providersOption('bin-dir <folder>', 'the programs of those plugins'))
    .option('--isolate', 'give containers copies of the current folder, the home folder and /tmp')
    .option('--seccomp-root <folder>', SECCOMP_ROOT_HELP)
    .addOption(countOption('--nodes <number>', NODES_HELP))
    .addOption(countOption('--zones <number>', ZONES_HELP))
    .option('--overcommit', OVERCOMMIT_HELP)
    .option('--strict-pid1', 'give the main process of a container the pid 1, as on a node');
}

/** The flags for a time and for faults of the run's own. */
function withExperiments(command: Command): void {
  command
    .option('--speed <factor>', SPEED_HELP, speedFactor)
    .option('--inject <fault>', 'a fault on purpose (see below); may be given several times', append)
    .addOption(countOption('--seed <number>', 'with --inject: what faults leave to chance (default: 1)'))
    .option('--count-requests', 'with --inject: send requests to each Service, and tell how many were lost');
}

/** Applies the manifests with the flags as commander returns them. Returns the exit code. */
export async function applyCommand(cli: Cli, files: readonly string[], given: GivenFlags): Promise<number> {
  const { files: manifests, ...goals } = splitAwaited(cli, files, given.until ?? []);
  const filename = [...(given.filename ?? []), ...manifests];
  const made = given.serverSide === true ? { made: 'serverside-applied' as const } : {};
  const flags: ApplyFlags = { ...UNLESS_GIVEN, ...given, ...made, ...goals, filename };
  const { command } = cli.line;
  if (flags.watchPath !== undefined && flags.watch !== true) throw usage('--watch-path needs --watch');
  const follow = flags.watch === true ? (await import('../watch/watch-run.ts')).watching(flags, command) : undefined;
  if (follow === undefined && (flags.context ?? flags.kubeconfig) !== undefined) {
    const { applyOnCluster } = await import('../apply/apply-on-cluster.ts');
    return applyOnCluster(cli, flags, command);
  }
  const { speed, seed, countRequests, inject } = flags;
  const isPlain = speed === undefined && seed === undefined && countRequests !== true && inject.length === 0;
  if (isPlain) return apply(cli, flags, command, undefined, { follow });
  const { experiment } = await import('../experiments/experiment.ts');
  const { cli: own, faults } = experiment(cli, flags);
  return apply(own, flags, command, undefined, { follow, faults });
}
