import { type Command, Option } from 'commander';
import {
  inWholeSeconds,
  applyPatch,
  errorMessage,
  goQuote,
  type KubeObject,
  type PatchType,
  PodrunError,
  type ResourceType,
  type StoredKubeObject,
  usage,
} from '../../api/index.ts';
import { noSuchSubresource, readValue, SourceError, type Subresource } from '../../manifest/index.ts';
import { changeObject, loadKindRules, loadPart, type SubresourceView } from '../../apiserver/index.ts';
import { readUpTo, textUpTo } from '../../store/index.ts';
import { changeLine, type DryRun, dryRunOption, eachObject } from '../change/change-line.ts';
import { openStore } from '../base/environment.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { append } from '../select/selection-flags.ts';
import { nameMissing, readSelection } from '../select/selection.ts';
import type { Cli, RunVerb } from '../base/cli.ts';

interface PatchFlags extends OutputFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly namespace: string | undefined;
  readonly patch: string | undefined;
  readonly patchFile: string | undefined;
  readonly type: PatchType;
  readonly subresource: string | undefined;
  readonly dryRun: DryRun;
}

const EXAMPLES = `
Examples:
  podrun patch pod web -p '{"spec":{"containers":[{"name":"main","image":"app:2"}]}}'   # restarts that container
  podrun patch pod/web -p '{"spec":{"activeDeadlineSeconds":60}}'
  podrun patch pod/web --type=json -p '[{"op":"remove","path":"/spec/schedulingGates/0"}]'
  podrun patch deployment web --subresource=scale -p '{"spec":{"replicas":2}}'
  podrun patch pod/web --subresource=status -p '{"status":{"conditions":[{"type":"example.com/lb","status":"True"}]}}'
`;

/** `podrun patch`: changes fields of objects. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('patch')
    .summary('Change fields of an object')
    .description('Changes fields of objects. The agent of a running Pod acts on the change at once.')
    .usage('(TYPE/NAME | TYPE NAME | -f FILE) (-p PATCH | --patch-file FILE) [flags]')
    .argument('[resource...]', 'the objects');
  withOutputFlags(command)
    .option('-f, --filename <file>', 'the objects of this manifest; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with their subfolders', false)
    .option('-n, --namespace <name>', 'namespace of the objects (default: "default")')
    .option('-p, --patch <patch>', 'the patch, JSON or YAML')
    .option('--patch-file <file>', 'the file with the patch; -: standard input')
    .addOption(
      new Option('--type <type>', 'kind of patch').choices(['json', 'merge', 'strategic']).default('strategic'),
    )
    .option('--subresource <name>', 'change this part: status, scale; of a Pod also resize, ephemeralcontainers')
    .addOption(dryRunOption('only print what would change; -o yaml shows the result'))
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: PatchFlags) => run((cli) => patchObjects(cli, words, flags)));
}

/** The part with the replicas of a workload. */
const SCALE = 'scale';

const SUBRESOURCES: readonly Subresource[] = ['status', 'resize', 'ephemeralcontainers'];

async function patchObjects(cli: Cli, words: readonly string[], flags: PatchFlags): Promise<number> {
  const { type, dryRun } = flags;
  const printer = objectPrinter(cli, flags);
  const subresource = flags.subresource === SCALE ? undefined : readSubresource(flags.subresource);
  const patch = await readPatch(cli, flags);
  const unused = { allNamespaces: false, selector: undefined, fieldSelector: undefined };
  const selection = await readSelection(cli, 'patch', words, { ...flags, ...unused });
  if (selection.how === 'listed') throw nameMissing();
  const store = openStore(cli);
  const change = (stored: KubeObject): KubeObject => applyPatch(inWholeSeconds(stored), patch, type);
  const rulesOf = await loadKindRules(
    store,
    selection.refs.map((ref) => ref.type),
  );
  const scales = new Map<ResourceType, SubresourceView>();
  if (flags.subresource === SCALE)
    for (const ref of selection.refs) scales.set(ref.type, await loadPart(store, ref.type, SCALE));
  return eachObject(cli, selection.refs, (ref) => {
    const scale = scales.get(ref.type);
    if (type === 'strategic' && ref.type.custom !== undefined && scale === undefined) throw notStrategic();
    const [rules, isDryRun] = [rulesOf(ref.type), dryRun !== 'none'];
    const rescaled = (stored: StoredKubeObject): KubeObject =>
      scale?.into?.(stored, change(scale.of(stored))) ?? stored;
    const own = scale === undefined ? { change, subresource } : { change: rescaled };
    const changed = changeObject({ store, ref, ...own, rules, warn: cli.warn, isDryRun });
    const operation = changed.isChanged ? 'patched' : 'patched (no change)';
    const changedPart = (scale?.of(changed.object) ?? changed.object) as StoredKubeObject;
    return changeLine(cli, changedPart, operation, { dryRun, printer });
  });
}

/** The API server's error about a strategic patch of a kind without a type in Go, which says how lists are merged. */
function notStrategic(): PodrunError {
  const accepted = ['json-patch+json', 'merge-patch+json', 'apply-patch+yaml'].map((type) => `application/${type}`);
  const words = 'the body of the request was in an unknown format - accepted media types include';
  const text = `Error from server (UnsupportedMediaType): ${words}: ${accepted.join(', ')}`;
  return new PodrunError('BadRequest', text, { hint: 'Use --type=merge.' });
}

/**
 * Reads `--subresource`.
 * @throws {PodrunError} when no object has such a part
 */
function readSubresource(name: string | undefined): Subresource | undefined {
  if (name === undefined) return undefined;
  const known = SUBRESOURCES.find((subresource) => subresource === name);
  if (known !== undefined) return known;
  throw noSuchSubresource();
}

/**
 * Reads the patch.
 * @throws {PodrunError} (usage) when there is none, or its form is wrong
 */
async function readPatch(cli: Cli, { patch, patchFile }: PatchFlags): Promise<unknown> {
  if (patch !== undefined && patchFile !== undefined) {
    throw usage('cannot specify --patch and --patch-file together');
  }
  if (!patch && !patchFile) throw usage('must specify --patch or --patch-file containing the contents of the patch');
  const written = patch || (await readPatchFile(cli, patchFile ?? ''));
  try {
    return readValue(written);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw usage(`unable to parse ${goQuote(written)}: ${error.message}`);
  }
}

/** The largest object that the API server accepts, in bytes. */
const PATCH_MAX_BYTES = 3 * 2 ** 20;

async function readPatchFile(cli: Cli, file: string): Promise<string> {
  try {
    if (file === '-') return await textUpTo(cli.stdin, PATCH_MAX_BYTES);
    return readUpTo(cli.pathOf(file), PATCH_MAX_BYTES).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw usage(`unable to read patch file: ${errorMessage(error)}`);
    }
    throw usage(`unable to read patch file: open ${file}: no such file or directory`);
  }
}
