import { type Command, InvalidArgumentError } from 'commander';
import { EXIT, type PodrunError, qualifiedKind, storageOf, type StoredKubeObject, usage } from '../../api/index.ts';
import {
  contentsOf,
  deleteObject,
  dependentsIn,
  getObject,
  isNamespace,
  keptProblem,
  missingObjectError,
  type ObjectRef,
  objectToChange,
} from '../../apiserver/index.ts';
import type { FileStore } from '../../store/index.ts';
import { type DryRun, dryRunOption, dryRunSuffix } from '../change/change-line.ts';
import { durationFlag, WEEK_MS } from '../flags/options.ts';
import { authorOfCommand } from '../base/deletion-author.ts';
import { openStore } from '../base/environment.ts';
import { reportErrors } from '../base/report-error.ts';
import { refsOf } from '../select/find-objects.ts';
import { outputOption, type SelectionFlags, withSelectionFlags } from '../select/selection-flags.ts';
import { isExplicitList, nameMissing, readSelection } from '../select/selection.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { type DeleteSession, type RemovedObject, untilDeleted } from '../waiting/until-deleted.ts';
import { withWaitingLine } from '../waiting/wait-progress.ts';
import type { PropagationPolicy } from '../../controllers/index.ts';

const POLICIES: ReadonlyMap<string, PropagationPolicy> = new Map([
  ['background', 'Background'],
  ['foreground', 'Foreground'],
  ['orphan', 'Orphan'],
]);

/** The texts that kubectl takes for a truth value. Source: Go's strconv.ParseBool. */
const TRUTH_VALUES: ReadonlyMap<string, string> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, 'background'] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, 'orphan'] as const),
]);

/**
 * Reads --cascade. Source: kubectl/pkg/cmd/util/helpers.go GetCascadingStrategy.
 * @throws {PodrunError} (usage) for a value that is none of kubectl's
 */
function readPropagation(cli: Cli, cascade: string | true): PropagationPolicy {
  const text = cascade === true ? 'background' : cascade;
  const policy = POLICIES.get(text);
  if (policy !== undefined) return policy;
  const meant = TRUTH_VALUES.get(text);
  if (meant === undefined) {
    throw usage(`invalid cascade value (${text}). Must be "background", "foreground", or "orphan"`);
  }
  cli.stderr.write(
    `warning: --cascade=${text} is deprecated (boolean value) and can be replaced with --cascade=${meant}.\n`,
  );
  return POLICIES.get(meant) ?? 'Background';
}

interface DeleteFlags extends SelectionFlags {
  /** Seconds. Negative: the period of the Pod. */
  readonly gracePeriod: number;
  readonly now: boolean;
  readonly force: boolean;
  /** Ask before the deletion. */
  readonly interactive: boolean;
  readonly wait: boolean;
  readonly timeout: string;
  /** Undefined without the flag. */
  readonly ignoreNotFound: boolean | undefined;
  readonly dryRun: DryRun;
  readonly output: 'name' | undefined;
  /** True without a value. */
  readonly cascade: string | true;
}

const EXAMPLES = `
Examples:
  podrun delete pod web             # terminates the Pod gracefully and removes it; its apply ends
  podrun delete -f pod.yaml --now
  podrun delete pods --all --wait=false
  podrun delete pod stuck --force   # does not wait for its processes
`;

/** `podrun delete`: terminates Pods and removes them; removes other objects. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('delete')
    .summary('Remove objects, and end their Pods')
    .description(
      'Terminates Pods gracefully and removes them with their logs and volumes. Removes other objects at once, ' +
        'and then what they own.',
    )
    .usage('TYPE/NAME... | TYPE (NAME... | --all | -l QUERY) | -f FILE [flags]')
    .argument('[resource...]', 'the objects');
  withSelectionFlags(command)
    .option('--all', 'all objects of the type in the namespace', false)
    .option(
      '--grace-period <seconds>',
      'seconds until podrun kills the Pod; negative: as the spec says',
      wholeNumber,
      -1,
    )
    .option('--now', 'the same as --grace-period=1', false)
    .option('--force', 'remove the Pod at once; its processes have two seconds to end', false)
    .option('-i, --interactive', 'list the objects and ask before deleting them', false)
    .option('--wait', 'wait until the objects are gone (default)')
    .option('--no-wait', 'do not wait until the objects are gone')
    .option('--timeout <duration>', 'the longest time to wait; 0: no limit', '0s')
    .option('--ignore-not-found', 'ignore names that do not exist')
    .option('--no-ignore-not-found', 'fail for names that do not exist')
    .option(
      '--cascade [how]',
      'background: delete what the object owns after it; foreground: before it; orphan: not at all',
      'background',
    )
    .addOption(dryRunOption('only print what would be deleted'))
    .addOption(outputOption<'name'>(['name']))
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: Omit<DeleteFlags, 'wait'> & { wait?: boolean }) =>
      run((cli) => deleteObjects(cli, words, { ...flags, wait: flags.wait !== false })),
    );
}

function wholeNumber(text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a number of seconds.');
}

const NOT_CONFIRMED =
  'Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. ' +
  'The resource may continue to run on the cluster indefinitely.';

async function deleteObjects(cli: Cli, words: readonly string[], flags: DeleteFlags): Promise<number> {
  const graceSeconds = readGrace(flags);
  const propagation = readPropagation(cli, flags.cascade);
  const timeoutMs = durationFlag('--timeout', flags.timeout);
  const selection = await readSelection(cli, 'delete', words, flags);
  if (selection.how === 'listed' && !isExplicitList(flags)) throw nameMissing();
  const { clock } = cli;
  const store = openStore(cli);
  const hasDependents = dependentsIn(store, clock);
  const session: DeleteSession = {
    store,
    clock,
    graceSeconds,
    propagation,
    hasDependents,
    author: authorOfCommand(cli),
  };
  if (graceSeconds === 0) cli.note(NOT_CONFIRMED);
  const refs = refsOf(store, selection);
  if (refs.length === 0) cli.tell('No resources found\n');
  if (flags.interactive && !(await isAgreed(cli, store, refs, flags))) {
    cli.tell('deletion is cancelled\n');
    return EXIT.ok;
  }
  const ignoresMissing = flags.ignoreNotFound ?? isExplicitList(flags);
  const waitMs = timeoutMs <= 0 ? WEEK_MS : timeoutMs;
  const errors = await deleteAndWait(cli, session, refs, { ...flags, ignoresMissing, waitMs });
  return reportErrors(cli.stderr, errors);
}

/** The way of a deletion, and its output. */
interface DeleteMode extends Pick<DeleteFlags, 'dryRun' | 'output' | 'wait'> {
  readonly ignoresMissing: boolean;
  /** The longest time to wait until the objects are gone, milliseconds. */
  readonly waitMs: number;
}

/** Deletes the objects one after the other, and waits until they are gone. Returns the errors. */
export async function deleteAndWait(
  cli: Cli,
  session: DeleteSession,
  refs: readonly ObjectRef[],
  deletion: DeleteMode,
): Promise<PodrunError[]> {
  const { ending, errors } = await deleteAll(cli, session, refs, deletion);
  if (!deletion.wait) return errors;
  const deadlineMs = cli.clock.now().monotonicMs + deletion.waitMs;
  for (const removal of ending) {
    const { type, name } = removal.ref;
    const isPod = storageOf(type) === 'pods';
    if (isPod) noteSilentOwner(cli, session.store, removal.ref);
    const text = `waiting for ${qualifiedKind(type)} "${name}" to ${isPod ? 'end' : 'go'}`;
    errors.push(...(await withWaitingLine(cli, text, () => untilDeleted(cli, session, removal, deadlineMs))));
  }
  return errors;
}

/**
 * Warns that the agent of a Pod does not answer: then the Pod does not end. kubectl waits for a lost node in the same
 * way.
 */
function noteSilentOwner(cli: Cli, store: FileStore, { namespace, name }: ObjectRef): void {
  const owner = store.owners.of(namespace, name);
  if (owner === undefined || store.owners.stateOf(owner) !== 'silent') return;
  const agent = store.owners.describe(owner);
  cli.warn(`pod "${name}" belongs to ${agent}, which does not answer; --force removes its record at once`);
}

/**
 * Asks the user about the objects that exist.
 * @throws {PodrunError} when an object is missing, unless --ignore-not-found
 */
async function isAgreed(cli: Cli, store: FileStore, refs: readonly ObjectRef[], flags: DeleteFlags): Promise<boolean> {
  const missing = refs.find((ref) => objectToChange(store, ref) === undefined);
  const present = refs.filter((ref) => objectToChange(store, ref) !== undefined);
  if (missing !== undefined && flags.ignoreNotFound !== true) throw missingObjectError(store, missing, 'deleting');
  if (present.length === 0) return true;
  return isConfirmed(cli, present);
}

/**
 * Reads the grace period in seconds. 0 with --force, undefined for the period of the Pod. Source:
 * kubectl/pkg/cmd/delete.
 * @throws {PodrunError} (usage) for flags that contradict each other
 */
function readGrace({ gracePeriod, now, force }: DeleteFlags): number | undefined {
  if (now && gracePeriod >= 0) throw usage('--now and --grace-period cannot be specified together');
  const wanted = now ? 1 : gracePeriod;
  if (force && wanted > 0) {
    throw usage('--force and --grace-period greater than 0 cannot be specified together');
  }
  if (force) return 0;
  if (wanted < 0) return undefined;
  // Only --force deletes without a grace period.
  return Math.max(1, wanted);
}

async function deleteAll(
  cli: Cli,
  session: DeleteSession,
  refs: readonly ObjectRef[],
  deletion: DeleteMode,
): Promise<{ ending: RemovedObject[]; errors: PodrunError[] }> {
  const { store } = session;
  const ending: RemovedObject[] = [];
  const errors = refs.flatMap((ref) => keptProblem(ref) ?? []);
  const remove = async (ref: ObjectRef, object: StoredKubeObject): Promise<boolean> => {
    const outcome = await deleteObject(session, ref);
    if (outcome === 'ending') ending.push({ ref, uid: object.metadata.uid });
    if (outcome === 'renewed') cli.note(`pod/${ref.name} is back: only the removal of its file ends a static Pod`);
    return outcome !== 'missing';
  };
  const isReal = deletion.dryRun === 'none';
  const wanted = refs.filter((ref) => keptProblem(ref) === undefined);
  for (const ref of wanted) {
    const object = objectToChange(store, ref);
    if (object === undefined || (isReal && !isNamespace(ref) && !(await remove(ref, object)))) {
      if (!deletion.ignoresMissing) errors.push(missingObjectError(store, ref, 'deleting'));
    } else cli.tell(deletedLine(ref, session, deletion), deletion.output);
  }
  // Objects in a deleted namespace go after the objects that the user named, which would be missing otherwise.
  for (const namespace of isReal ? wanted.filter(isNamespace) : []) {
    await deleteObject(session, namespace);
    for (const ref of [...contentsOf(store, namespace.name), namespace]) {
      const object = getObject(store, ref);
      if (object !== undefined) await remove(ref, object);
    }
  }
  return { ending, errors };
}

/** The line of kubectl 1.34 and later. */
function deletedLine(
  { type, namespace, name }: ObjectRef,
  { graceSeconds }: DeleteSession,
  { dryRun, output }: DeleteMode,
): string {
  const kind = qualifiedKind(type);
  if (output === 'name') return `${kind}/${name}\n`;
  const operation = graceSeconds === 0 ? 'force deleted' : 'deleted';
  const place = type.isNamespaced ? ` from ${namespace} namespace` : '';
  return `${kind} "${name}" ${operation}${dryRunSuffix(dryRun)}${place}\n`;
}

/**
 * Asks on standard output whether to delete these objects. Only the word `y` means yes. Source:
 * kubectl/pkg/cmd/delete/delete.go confirmation.
 */
async function isConfirmed(cli: Cli, refs: readonly ObjectRef[]): Promise<boolean> {
  const names = refs.map(({ type, name }) => `${qualifiedKind(type)}/${name}\n`).join('');
  // A user who cannot see the question has not agreed.
  cli.stdout.onReaderGone(() => process.exit(EXIT.readerGone));
  cli.stdout.write(`You are about to delete the following ${refs.length} resource(s):\n${names}`);
  cli.stdout.write('Do you want to continue? (y/n): ');
  return (await firstWord(cli.stdin)).toLowerCase() === 'y';
}

/** Reads the first word, up to a blank or the end of the input. */
async function firstWord(input: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of input) {
    text += chunk.toString();
    const word = /^\s*(\S+)\s/.exec(text)?.[1];
    if (word !== undefined) return word;
  }
  return text.trim();
}
