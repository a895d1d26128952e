import { buffer } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_NAMESPACE, PodrunError, resourceTypeOf, type StoredKubeObject } from '../../api/index.ts';
import {
  changeObject,
  missingObjectError,
  type ObjectRef,
  objectToChange,
  separateObjects,
} from '../../apiserver/index.ts';
import { type FileStore, rememberCreated } from '../../store/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';
import { APPLY_DEFAULTS } from '../apply/apply-defaults.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { apply } from '../apply/apply-session.ts';
import { loadOrExplain, type StandardInput } from '../apply/manifest-input.ts';
import { changeLine, type DryRun, dryRunOption, eachObject } from '../change/change-line.ts';
import { durationFlag, usageOf } from '../flags/options.ts';
import { authorOfCommand } from '../base/deletion-author.ts';
import { openStore } from '../base/environment.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { reportErrors } from '../base/report-error.ts';
import { append } from '../select/selection-flags.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { deleteAndWait } from './delete.ts';

interface ReplaceFlags extends OutputFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly namespace: string | undefined;
  /** Delete the stored objects and create them anew. */
  readonly force: boolean;
  /** Seconds. Undefined: the period of the Pod. */
  readonly gracePeriod: number | undefined;
  readonly timeout: string | undefined;
  readonly image: readonly string[];
  readonly config: string | undefined;
  readonly validate: 'strict' | 'warn' | 'ignore';
  readonly dryRun: DryRun;
}

const EXAMPLES = `
A running Pod can change its images, tolerations and deadlines only, and the manifest must have all other fields
of the Pod: start from the output of 'podrun get -o yaml'. Other changes need --force.

Examples:
  podrun replace --force -f pod.yaml      # ends the Pod gracefully and runs a new one in the background
  podrun get pod web -o yaml | sed 's/nginx:1.27/nginx:1.28/' | podrun replace -f -
  podrun replace -f settings.yaml --dry-run=server -o yaml
`;

/** `podrun replace`: replaces stored objects with the objects in manifests. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('replace')
    .summary('Replace objects')
    .description(
      'Replaces existing objects with the objects in manifests. Fields that a manifest does not mention are removed.',
    )
    .usage('-f FILE|DIR|- | FILE... [flags]')
    .argument('[files...]', 'manifests, folders of manifests, or - for standard input');
  withOutputFlags(command)
    .option('-f, --filename <file>', 'like the arguments; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with their subfolders', false)
    .option('-n, --namespace <name>', 'namespace of objects without one')
    .option('--force', 'delete the object and create it again; Pods run in the background', false)
    .option('--grace-period <seconds>', 'with --force: seconds until podrun kills the Pod', seconds)
    .option('--timeout <duration>', 'with --force: the longest time to wait for its end (default: "5m")')
    .option('--image <name=command>', 'with --force: program of an image, as with apply', append, [])
    .option('--config <file>', 'with --force: configuration file, as with apply')
    .addOption(
      new Option('--validate <mode>', 'unknown and duplicate fields')
        .choices(['strict', 'warn', 'ignore'])
        .default('strict'),
    )
    .addOption(dryRunOption('only print what would change; -o yaml shows the result'))
    .addHelpText('after', EXAMPLES)
    .action((files: string[], flags: ReplaceFlags) =>
      run((cli) => replaceObjects(cli, { ...flags, filename: [...flags.filename, ...files] })),
    );
}

function seconds(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a number of seconds.');
}

/** The time that `--force` waits for the deletion. Source: kubectl/pkg/cmd/replace. */
const FORCE_TIMEOUT = '5m';

async function replaceObjects(cli: Cli, flags: ReplaceFlags): Promise<number> {
  checkFlags(flags);
  const typed = flags.filename.includes('-') ? await buffer(cli.stdin) : undefined;
  // --force reads the manifests twice: standard input is kept.
  const stdin: StandardInput = async function* () {
    if (typed !== undefined) yield typed;
  };
  const store = openStore(cli);
  const loaded = await loadOrExplain(
    cli,
    applyFlags(flags),
    { hasNamespaces: true, hasPodNetwork: true, hasNodes: true },
    stdin,
    'replace',
  );
  if (!loaded.ok) return loaded.exitCode;
  if (flags.force) return replaceByForce(cli, store, loaded.objects, flags, stdin);
  const printer = objectPrinter(cli, flags);
  const manifests = new Map(loaded.objects.map((manifest) => [refOf(manifest), manifest]));
  return eachObject(cli, [...manifests.keys()], (ref) => {
    const manifest = manifests.get(ref);
    if (manifest === undefined) return '';
    return changeLine(cli, replaceOne(cli, store, ref, manifest, flags), 'replaced', { dryRun: flags.dryRun, printer });
  });
}

/**
 * Refuses flags that contradict each other.
 * @throws {PodrunError} (usage) in kubectl's words
 */
function checkFlags({ filename, force, gracePeriod, timeout, dryRun, output, image, config }: ReplaceFlags): void {
  if (filename.length === 0) throw usageOf('replace', 'must specify one of -f and FILE');
  if (force) {
    if (dryRun !== 'none') throw usageOf('replace', '--dry-run can not be used when --force is set');
    if (output !== undefined) throw usageOf('replace', '--output can not be used when --force is set');
    return;
  }
  if (gracePeriod !== undefined) throw usageOf('replace', '--grace-period must have --force specified');
  if (timeout !== undefined) throw usageOf('replace', '--timeout must have --force specified');
  if (image.length > 0) throw usageOf('replace', '--image must have --force specified');
  if (config !== undefined) throw usageOf('replace', '--config must have --force specified');
}

function refOf({ object, file }: ManifestObject): ObjectRef {
  const type = resourceTypeOf(object);
  const { namespace = DEFAULT_NAMESPACE, name = '' } = object.metadata;
  return { type, namespace: type.isNamespaced ? namespace : DEFAULT_NAMESPACE, name, file };
}

/**
 * Replaces a stored object. A field that the manifest does not have gets its default, or is removed.
 * @throws {PodrunError} in kubectl's words, when there is no such object, or the update rules forbid the change
 */
function replaceOne(
  cli: Cli,
  store: FileStore,
  ref: ObjectRef,
  { written }: ManifestObject,
  { dryRun }: ReplaceFlags,
): StoredKubeObject {
  if (objectToChange(store, ref) === undefined) throw missingObjectError(store, ref, 'replacing');
  try {
    return changeObject({
      store,
      ref,
      warn: cli.warn,
      isDryRun: dryRun !== 'none',
      change: ({ metadata: { namespace } }) => ({ ...written, metadata: { ...written.metadata, namespace } }),
      onAdmitted: (stored) => rememberCreated(store, stored, written),
    }).object;
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    const message = error.message.replace(/^Error from server \(\w+\): /, (whose) => {
      return `${whose}error when replacing ${JSON.stringify(ref.file)}: `;
    });
    throw new PodrunError(error.code, message, { hint: error.hint ?? hintOf(ref, message) });
  }
}

function hintOf({ type, file }: ObjectRef, message: string): string | undefined {
  if (type.plural !== 'pods' || !message.includes(' is invalid: ')) return undefined;
  const remedy = `Use podrun replace --force -f ${file === 'STDIN' ? '-' : file} (deletes and starts the pod again)`;
  return `${remedy}, or podrun apply: it keeps what the manifest does not mention.`;
}

/** Deletes the stored objects, waits until they are gone, and creates them anew. A Pod then runs in the background. */
async function replaceByForce(
  cli: Cli,
  store: FileStore,
  objects: readonly ManifestObject[],
  flags: ReplaceFlags,
  stdin: StandardInput,
): Promise<number> {
  // An error in the manifests must come before the deletion.
  separateObjects(objects);
  const waitMs = durationFlag('--timeout', flags.timeout ?? FORCE_TIMEOUT);
  const session = {
    store,
    clock: cli.clock,
    graceSeconds: flags.gracePeriod,
    propagation: 'Background',
    author: authorOfCommand(cli),
  } as const;
  const deletion = { ignoresMissing: true, dryRun: 'none', output: undefined, wait: true, waitMs } as const;
  const errors = await deleteAndWait(cli, session, objects.map(refOf), deletion);
  if (errors.length > 0) {
    cli.note('Nothing was replaced: podrun must delete the old objects first.');
    return reportErrors(cli.stderr, errors);
  }
  return apply(cli, applyFlags(flags), undefined, stdin);
}

/** The flags of `apply --detach` for the same manifests. */
function applyFlags({ force, ...shared }: ReplaceFlags): ApplyFlags {
  const text = { output: undefined, template: undefined, timeout: undefined } as const;
  const mode = { made: 'replaced', detach: true, logs: false, annotations: 'none' } as const;
  return { ...APPLY_DEFAULTS, ...shared, ...text, ...mode, dryRun: force ? 'none' : 'server' };
}
