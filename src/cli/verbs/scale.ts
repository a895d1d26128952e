import type { Command } from 'commander';
import {
  applyPatch,
  fromServer,
  goQuote,
  hasCode,
  type KubeObject,
  PodrunError,
  type ResourceType,
  type StoredKubeObject,
  usage,
} from '../../api/index.ts';
import { changeObject, loadKindRules, loadPart, type ObjectRef, waitForObject } from '../../apiserver/index.ts';
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
      'Sets the number of replicas of Deployments, ReplicaSets, ReplicationControllers and StatefulSets, whose agent ' +
        'starts or ends Pods, and of custom kinds with the subresource scale.',
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

/** The replicas of the objects of a kind. */
interface Replicas {
  readonly wanted: (object: KubeObject) => number;
  readonly present: (object: KubeObject) => number;
  /** The object with another number of replicas. */
  readonly changed: (object: StoredKubeObject, replicas: number) => KubeObject;
}

/** The replicas of workloads. */
const OF_WORKLOADS: Replicas = {
  wanted: (object) => numberIn(object['spec'], 1),
  present: (object) => numberIn(object['status'], 0),
  changed: (object, replicas) => applyPatch(object, { spec: { replicas } }, 'merge'),
};

/** Undefined: the kind has no replicas. A kind of a definition has them where its subresource says. */
async function replicasOfKind(store: FileStore, type: ResourceType): Promise<Replicas | undefined> {
  if (SCALABLE.has(type.kind)) return OF_WORKLOADS;
  const part = type.custom && (await loadPart(store, type, 'scale').catch(orUndefined));
  if (part === undefined) return undefined;
  const { of, into } = part;
  const scaleOf = (object: KubeObject): KubeObject => of(object as StoredKubeObject);
  return {
    wanted: (object) => numberIn(scaleOf(object)['spec'], 0),
    present: (object) => numberIn(scaleOf(object)['status'], 0),
    changed: (object, replicas) => into?.(object, { ...scaleOf(object), spec: { replicas } }) ?? object,
  };
}

function orUndefined(error: unknown): undefined {
  if (!hasCode(error, 'NotFound')) throw error;
}

function numberIn(part: unknown, otherwise: number): number {
  return (part as { readonly replicas?: number } | undefined)?.replicas ?? otherwise;
}

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
  const printer = objectPrinter(cli, flags);
  const store = openStore(cli);
  const refs = await readTargets(cli, store, { command: 'scale', words, flags });
  if (refs.length === 0) throw new PodrunError('NotFound', 'no objects passed to scale');
  if (resourceVersion !== undefined && refs.length > 1) {
    throw usage('cannot use --resource-version with multiple resources');
  }
  const types = [...new Set(refs.map(({ type }) => type))];
  const rulesOf = await loadKindRules(store, types);
  const kinds = new Map<ResourceType, Replicas | undefined>();
  for (const type of types) kinds.set(type, await replicasOfKind(store, type));
  const scaled: Array<{ readonly ref: ObjectRef; readonly kind: Replicas }> = [];
  const exitCode = eachObject(cli, refs, (ref) => {
    const kind = kinds.get(ref.type);
    if (kind === undefined) throw fromServer('NotFound', 'the server could not find the requested resource');
    const change = (stored: StoredKubeObject): KubeObject => {
      checkPresent(stored, kind.wanted(stored), { current, resourceVersion });
      return kind.changed(stored, replicas);
    };
    const request = { store, ref, change, rules: rulesOf(ref.type), warn: cli.warn, isDryRun: dryRun !== 'none' };
    const { object, isChanged } = changeObject(request);
    if (isChanged && dryRun === 'none') warnOfRest(cli, store, ref);
    if (dryRun === 'none') scaled.push({ ref, kind });
    return changeLine(cli, object, 'scaled', { dryRun, printer });
  });
  if (timeoutMs > 0) for (const one of scaled) await untilScaled(cli, store, one, { replicas, timeoutMs });
  return exitCode;
}

/**
 * Waits until the object has its new number of Pods, or another number is wanted.
 * @throws {PodrunError} when the time is up
 */
async function untilScaled(
  { clock }: Cli,
  store: FileStore,
  { ref, kind }: { readonly ref: ObjectRef; readonly kind: Replicas },
  wanted: { readonly replicas: number; readonly timeoutMs: number },
): Promise<void> {
  const isMet = (object: StoredKubeObject | undefined): boolean =>
    object === undefined || kind.wanted(object) !== wanted.replicas || kind.present(object) === wanted.replicas;
  const deadlineMs = clock.now().monotonicMs + wanted.timeoutMs;
  if (await waitForObject({ store, clock, of: ref, deadlineMs, isMet })) return;
  throw new PodrunError('GoalNotReached', `timed out waiting for ${goQuote(ref.name)} to be synced`);
}

/**
 * Refuses to scale an object that has changed. Source: kubectl/pkg/scale/scale.go validate.
 * @throws {PodrunError}
 */
function checkPresent(
  stored: KubeObject,
  replicas: number,
  wanted: { readonly current: number; readonly resourceVersion: string | undefined },
): void {
  if (wanted.current !== -1 && replicas !== wanted.current) {
    throw new PodrunError('Conflict', `Expected replicas to be ${wanted.current}, was ${replicas}`);
  }
  const { resourceVersion = '' } = stored.metadata;
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    const message = `Expected resource version to be ${wanted.resourceVersion}, was ${resourceVersion}`;
    throw new PodrunError('Conflict', message);
  }
}
