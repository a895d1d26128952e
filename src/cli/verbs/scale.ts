import type { Command } from 'commander';
import {
  applyPatch,
  fromServer,
  goQuote,
  type KubeObject,
  PodrunError,
  type StoredKubeObject,
  usage,
} from '../../api/index.ts';
import { changeObject, type ObjectRef, waitForObject } from '../../apiserver/index.ts';
import type { FileStore } from '../../store/index.ts';
import { changeLine, type DryRun, dryRunOption, eachObject } from '../change/change-line.ts';
import { warnOfRest } from '../change/resting.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { durationFlag } from '../flags/options.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { readTargets } from '../select/find-objects.ts';
import { type TargetFlags, withTargetFlags } from '../select/selection-flags.ts';

interface ScaleFlags extends TargetFlags, OutputFlags {
  readonly replicas: string | undefined;
  readonly currentReplicas: string;
  readonly resourceVersion: string | undefined;
  readonly timeout: string;
  readonly dryRun: DryRun;
}

const EXAMPLES = `
Examples:
  podrun scale deployment/web --replicas=3
  podrun scale deployment/web --replicas=5 --current-replicas=2     # only if it has 2 now
  podrun scale statefulset db --replicas=0
  podrun scale deployments --all --replicas=1
`;

/** `podrun scale`: sets the number of replicas. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('scale')
    .summary('Set the number of replicas')
    .description(
      'Sets the number of replicas of Deployments, ReplicaSets, ReplicationControllers and StatefulSets. Their agent ' +
        'starts or ends Pods.',
    )
    .usage('(TYPE/NAME... | TYPE (NAME... | --all | -l QUERY) | -f FILE) --replicas=COUNT [flags]')
    .argument('[resource...]', 'the objects');
  withOutputFlags(withTargetFlags(command))
    .option('--all', 'all objects of the type in the namespace', false)
    .option('--replicas <count>', 'the new number of replicas')
    .option('--current-replicas <count>', 'scale only what has this number of replicas; -1: any', '-1')
    .option('--resource-version <version>', 'scale only what is still at this version; for a single object')
    .option('--timeout <duration>', 'how long to wait until the replicas exist; 0s: do not wait', '0s')
    .addOption(dryRunOption('only print what would change; -o yaml shows the result'))
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: ScaleFlags) => run((cli) => scale(cli, words, flags)));
}

const SCALABLE: ReadonlySet<string> = new Set(['Deployment', 'ReplicaSet', 'ReplicationController', 'StatefulSet']);

/** Source: kubectl/pkg/cmd/scale/scale.go. */
async function scale(cli: Cli, words: readonly string[], flags: ScaleFlags): Promise<number> {
  const replicas = Number(flags.replicas ?? -1);
  if (!Number.isInteger(replicas) || replicas < 0) {
    throw usage('The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0');
  }
  const current = Number(flags.currentReplicas);
  if (!Number.isInteger(current) || current < -1) {
    throw usage('The --current-replicas must specify an integer of -1 or greater');
  }
  const { dryRun, resourceVersion } = flags;
  const timeoutMs = durationFlag('--timeout', flags.timeout);
  const printer = objectPrinter(cli.stdout, flags);
  const store = openStore(cli);
  const refs = await readTargets(cli, store, { command: 'scale', words, flags });
  if (refs.length === 0) throw new PodrunError('NotFound', 'no objects passed to scale');
  if (resourceVersion !== undefined && refs.length > 1) {
    throw usage('cannot use --resource-version with multiple resources');
  }
  const change = (stored: KubeObject): KubeObject => {
    checkPresent(stored, { current, resourceVersion });
    return applyPatch(stored, { spec: { replicas } }, 'merge');
  };
  const scaled: ObjectRef[] = [];
  const exitCode = eachObject(cli, refs, (ref) => {
    if (!SCALABLE.has(ref.type.kind)) throw fromServer('NotFound', 'the server could not find the requested resource');
    const { object, isChanged } = changeObject({ store, ref, change, warn: cli.warn, isDryRun: dryRun !== 'none' });
    if (isChanged && dryRun === 'none') warnOfRest(cli, store, ref);
    if (dryRun === 'none') scaled.push(ref);
    return changeLine(cli, object, 'scaled', { dryRun, printer });
  });
  if (timeoutMs > 0) for (const ref of scaled) await untilScaled(cli, store, ref, { replicas, timeoutMs });
  return exitCode;
}

/**
 * Waits until the object has its new number of Pods, or another number is wanted.
 * @throws {PodrunError} when the time is up
 */
async function untilScaled(
  { clock }: Cli,
  store: FileStore,
  ref: ObjectRef,
  wanted: { readonly replicas: number; readonly timeoutMs: number },
): Promise<void> {
  const isMet = (object: StoredKubeObject | undefined): boolean => {
    if (object === undefined || replicasOf(object) !== wanted.replicas) return true;
    const { replicas = 0 } = (object['status'] ?? {}) as { readonly replicas?: number };
    return replicas === wanted.replicas;
  };
  const deadlineMs = clock.now().monotonicMs + wanted.timeoutMs;
  if (await waitForObject({ store, clock, of: ref, deadlineMs, isMet })) return;
  throw new PodrunError('GoalNotReached', `timed out waiting for ${goQuote(ref.name)} to be synced`);
}

function replicasOf(object: KubeObject): number {
  const { replicas = 1 } = object['spec'] as { readonly replicas?: number };
  return replicas;
}

/**
 * Refuses to scale an object that has changed. Source: kubectl/pkg/scale/scale.go validate.
 * @throws {PodrunError}
 */
function checkPresent(
  stored: KubeObject,
  wanted: { readonly current: number; readonly resourceVersion: string | undefined },
): void {
  const replicas = replicasOf(stored);
  if (wanted.current !== -1 && replicas !== wanted.current) {
    throw new PodrunError('Conflict', `Expected replicas to be ${wanted.current}, was ${replicas}`);
  }
  const { resourceVersion = '' } = stored.metadata;
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    const message = `Expected resource version to be ${wanted.resourceVersion}, was ${resourceVersion}`;
    throw new PodrunError('Conflict', message);
  }
}
