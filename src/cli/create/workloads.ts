import type { Command } from 'commander';
import { DEFAULT_NAMESPACE, PodrunError, usage } from '../../api/index.ts';
import { jobOfCronJob, newCronJob, newDeployment, newJob } from '../../manifest/index.ts';
import { getObject, missingObjectError } from '../../apiserver/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { countOption } from '../flags/options.ts';
import { parseResourceArguments } from '../select/resource-arguments.ts';
import { append } from '../select/selection-flags.ts';
import { type CreateFlags, createFromFlags, onlyName, withCreateFlags } from './create-object.ts';

interface DeploymentFlags extends CreateFlags {
  readonly image: readonly string[];
  readonly port: number | undefined;
  readonly replicas: number;
}

interface JobFlags extends CreateFlags {
  readonly image: string | undefined;
  readonly from: string | undefined;
}

interface CronJobFlags extends CreateFlags {
  readonly image: string | undefined;
  readonly schedule: string | undefined;
  readonly restart: string;
}

const DEPLOYMENT_EXAMPLES = `
Examples:
  podrun create deployment hello --image=busybox --dry-run=client -o yaml -- sleep 1000
  podrun create deployment site --image=nginx --replicas=3 --port=80 --dry-run=server
`;

const JOB_EXAMPLES = `
Examples:
  podrun create job hello --image=busybox -- date
  podrun create job try --from=cronjob/report --dry-run=client -o yaml      # runs a CronJob now, without --dry-run
`;

const CRON_JOB_EXAMPLES = `
Examples:
  podrun create cronjob tick --image=busybox --schedule='*/5 * * * *' --dry-run=client -o yaml -- date
`;

/** `podrun create deployment`, `job` and `cronjob`. */
export function addWorkloads(group: Command, run: RunVerb): void {
  withCreateFlags(group.command('deployment').alias('deploy').usage('NAME --image=IMAGE [flags] [-- COMMAND ARGS...]'))
    .summary('Create a Deployment')
    .description('Creates a Deployment, and runs it in the background.')
    .argument('[name...]', 'its name')
    .option('--image <image>', 'the image of a container; may be given several times', append, [])
    .addOption(countOption('--port <number>', 'the port of the container'))
    .addOption(countOption('-r, --replicas <count>', 'the number of Pods').default(1))
    .addHelpText('after', DEPLOYMENT_EXAMPLES)
    .action((words: string[], flags: DeploymentFlags) => run((cli) => createDeployment(cli, words, flags)));
  withCreateFlags(group.command('job').usage('NAME (--image=IMAGE [-- COMMAND ARGS...] | --from=cronjob/NAME) [flags]'))
    .summary('Create a Job, also from a CronJob')
    .description('Creates a Job, and runs it in the background.')
    .argument('[name...]', 'its name')
    .option('--image <image>', 'the image of its container')
    .option('--from <object>', 'the CronJob whose template the Job gets, cronjob/NAME')
    .addHelpText('after', JOB_EXAMPLES)
    .action((words: string[], flags: JobFlags) => run((cli) => createJob(cli, words, flags)));
  withCreateFlags(
    group.command('cronjob').alias('cj').usage('NAME --image=IMAGE --schedule=SCHEDULE [flags] [-- COMMAND ARGS...]'),
  )
    .summary('Create a CronJob')
    .description('Creates a CronJob. It runs in the background.')
    .argument('[name...]', 'its name')
    .option('--image <image>', 'the image of its container')
    .option('--schedule <schedule>', 'the times of its runs, in the form of cron')
    .option('--restart <policy>', 'restart policy of its Pods, OnFailure or Never', 'OnFailure')
    .addHelpText('after', CRON_JOB_EXAMPLES)
    .action((words: string[], flags: CronJobFlags) => run((cli) => createCronJob(cli, words, flags)));
}

/** @throws {PodrunError} (usage) in the words of cobra, for flags that are missing */
function required(flags: Readonly<Record<string, unknown>>): void {
  const missing = Object.entries(flags).filter(([, value]) => value === undefined || value === '');
  if (missing.length === 0) return;
  throw usage(`required flag(s) ${missing.map(([name]) => `"${name}"`).join(', ')} not set`);
}

function createDeployment(cli: Cli, words: readonly string[], flags: DeploymentFlags): Promise<number> {
  const { image, replicas, port } = flags;
  required({ image: image[0] });
  const name = onlyName('create deployment', words);
  const { command } = cli.line;
  if (image.length > 1 && command !== undefined) throw usage('cannot specify multiple --image options and command');
  const object = newDeployment(name, image, { replicas, port, command });
  return createFromFlags(cli, { object, failing: 'failed to create deployment: ' }, flags);
}

function createJob(cli: Cli, words: readonly string[], flags: JobFlags): Promise<number> {
  const { image, from } = flags;
  const { command } = cli.line;
  const name = onlyName('create job', words);
  if (!image === !from) throw usage('either --image or --from must be specified');
  if (from && command !== undefined) throw usage('cannot specify --from and command');
  const object = image ? newJob({ name, image, command }) : jobFrom(cli, name, from ?? '', flags);
  return createFromFlags(cli, { object, failing: 'failed to create job: ' }, flags);
}

/** @throws {PodrunError} when there is no such CronJob */
function jobFrom(cli: Cli, name: string, word: string, flags: JobFlags): ReturnType<typeof newJob> {
  const parsed = parseResourceArguments([word]);
  const [source] = parsed.how === 'names' ? parsed.names : [];
  if (source === undefined) throw usage(`--from must name a CronJob, as in --from=cronjob/NAME, not ${word}`);
  const ref = { ...source, namespace: flags.namespace || DEFAULT_NAMESPACE };
  const store = openStore(cli);
  const object = getObject(store, ref);
  if (object === undefined) throw missingObjectError(store, ref);
  if (object.kind === 'CronJob') return jobOfCronJob(name, object);
  throw new PodrunError('BadRequest', `unknown object type *v1.${object.kind}`);
}

function createCronJob(cli: Cli, words: readonly string[], flags: CronJobFlags): Promise<number> {
  const { image = '', schedule = '', restart } = flags;
  required({ image, schedule });
  const name = onlyName('create cronjob', words);
  const object = newCronJob({ name, image, command: cli.line.command }, schedule, restart);
  return createFromFlags(cli, { object, failing: 'failed to create cronjob: ' }, flags);
}
