import type { Command } from 'commander';
import { EXIT, PodrunError } from '../../api/index.ts';
import { getObject, missingObjectError } from '../../apiserver/index.ts';
import { autoscalerToCreate } from '../../manifest/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { type CreateFlags, createFromFlags, withCreateFlags } from '../create/create-object.ts';
import { usageErrorf } from '../flags/options.ts';
import { groupKind } from '../rollout/rollout-flags.ts';
import { readTargets } from '../select/find-objects.ts';
import { append } from '../select/selection-flags.ts';

interface AutoscaleFlags extends CreateFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly min: string;
  readonly max: string;
  readonly cpuPercent: string | undefined;
  readonly cpu: string | undefined;
  readonly memory: string | undefined;
  readonly name: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun autoscale deployment/web --min=2 --max=10 --cpu=70%
  podrun autoscale statefulset db --max=5 --memory=500Mi --name=db-by-memory
  podrun autoscale deployment/web --max=4 --cpu=500m --dry-run=client -o yaml
`;

/** The kinds that have replicas to scale. */
const SCALABLE: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet', 'ReplicationController', 'StatefulSet']);

/** `podrun autoscale`: makes a HorizontalPodAutoscaler for a workload. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('autoscale')
    .summary('Create an autoscaler for a workload')
    .description(
      'Creates a HorizontalPodAutoscaler, which changes the replicas of a Deployment, ReplicaSet, ' +
        'ReplicationController or StatefulSet by what its Pods use.',
    )
    .usage('(TYPE/NAME | TYPE NAME | -f FILE) --max=COUNT [flags]')
    .argument('[resource...]', 'the workload');
  withCreateFlags(command)
    .option('-f, --filename <file>', 'the objects of this manifest; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with their subfolders', false)
    .option('--min <count>', 'the fewest replicas; -1: the default of an API server, which is 1', '-1')
    .option('--max <count>', 'the most replicas', '-1')
    .option('--cpu <target>', 'the use of the processor for each Pod: 70% of its request, or 500m')
    .option('--memory <target>', 'the use of memory for each Pod: 70% of its request, or 500Mi')
    .option('--cpu-percent <percent>', 'the use of the processor in percent of the request; the same as --cpu')
    .option('--name <name>', 'the name of the autoscaler (default: as of the workload)')
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: AutoscaleFlags) => run((cli) => autoscale(cli, words, flags)));
}

/** Source: kubectl/pkg/cmd/autoscale/autoscale.go. */
async function autoscale(cli: Cli, words: readonly string[], flags: AutoscaleFlags): Promise<number> {
  const wanted = { ...boundsOf(flags), cpu: cpuOf(flags), memory: flags.memory };
  const store = openStore(cli);
  const refs = await readTargets(cli, store, { command: 'autoscale', words, flags: { ...flags, selector: undefined } });
  let exitCode: number = EXIT.ok;
  for (const ref of refs) {
    const object = getObject(store, ref);
    if (object === undefined) throw missingObjectError(store, ref);
    const { apiVersion, kind, metadata } = object;
    if (!SCALABLE.has(kind)) throw new PodrunError('BadRequest', `cannot autoscale a ${groupKind(ref.type)}`);
    const name = flags.name || metadata.name;
    const made = autoscalerToCreate({ ...wanted, name, target: { apiVersion, kind, name: metadata.name } });
    const placed = { ...made, metadata: { ...made.metadata, namespace: metadata.namespace } };
    exitCode = Math.max(exitCode, await createFromFlags(cli, { object: placed, made: 'autoscaled' }, flags));
  }
  return exitCode;
}

/** @throws {PodrunError} (usage) in kubectl's words */
function boundsOf(flags: AutoscaleFlags): { readonly min: number | undefined; readonly max: number } {
  const [min, max] = [countOf('--min', flags.min), countOf('--max', flags.max)];
  if (max < 1) {
    throw usageErrorf('autoscale', `--max=MAXPODS is required and must be at least 1, max: ${max}`);
  }
  if (max < min) {
    const why = `--max=MAXPODS must be larger or equal to --min=MINPODS, max: ${max}, min: ${min}`;
    throw usageErrorf('autoscale', why);
  }
  return { min: min > 0 ? min : undefined, max };
}

function countOf(flag: string, text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text);
  throw usageErrorf('autoscale', `invalid ${flag} ${JSON.stringify(text)}: it must be a whole number`);
}

/** @throws {PodrunError} (usage) for two targets */
function cpuOf({ cpu, cpuPercent }: AutoscaleFlags): string | undefined {
  if (cpu !== undefined && cpuPercent !== undefined)
    throw usageErrorf('autoscale', '--cpu and --cpu-percent are the same target: give one of them');
  const percent = cpuPercent === undefined ? undefined : countOf('--cpu-percent', cpuPercent);
  // kubectl takes -1 for the default of the API server.
  return percent === undefined || percent < 0 ? cpu : `${percent}%`;
}
