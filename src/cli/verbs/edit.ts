import path from 'node:path';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Command, Option } from 'commander';
import { removeTree } from '../../remove-tree.ts';
import {
  inWholeSeconds,
  applyPatch,
  EXIT,
  goQuote,
  isJsonObject,
  type KubeObject,
  mergeDifference,
  PodrunError,
  qualifiedPlural,
  type StoredKubeObject,
} from '../../api/index.ts';
import { readValue, SourceError } from '../../manifest/index.ts';
import {
  type ChangedObject,
  changeObject,
  type LoadedRules,
  loadKindRules,
  missingObjectError,
  type ObjectRef,
  objectToChange,
} from '../../apiserver/index.ts';
import { renderObject } from '../../print/index.ts';
import { runEditor } from '../../runtime/index.ts';
import type { FileStore } from '../../store/index.ts';
import { changeLine } from '../change/change-line.ts';
import { warnOfRest } from '../change/resting.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { readTargets } from '../select/find-objects.ts';
import { append, type TargetFlags } from '../select/selection-flags.ts';

/** An error of an edit: its line on standard error, and what the comments above the text say of it. */
interface EditReason {
  readonly line: string;
  readonly head: string;
  readonly causes: readonly string[];
}

const HEADER = `# Please edit the object below. Lines beginning with a '#' will be ignored,
# and an empty file will abort the edit. If an error occurs while saving this file will be
# reopened with the relevant failures.
#
`;

/** The text for the editor: kubectl's comments, then the object. Source: kubectl/pkg/cmd/util/editor/editoptions.go. */
function editedText(body: string, reason: EditReason | undefined): string {
  if (reason === undefined) return HEADER + body;
  const { head, causes } = reason;
  const lines = [causes.length === 0 ? head : `${head}:`, ...causes.map((cause) => `* ${cause}`)];
  const comments = lines.map((line) => `# ${line.replaceAll('\n', '\n# ')}\n`);
  return `${HEADER}${comments.join('')}#\n${body}`;
}

/** The text without the comments above it. */
function withoutComments(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n');
}

/** The mistakes in an error of the API server: `The Pod "web" is invalid: ` with one, or with a line for each. */
function causesIn(message: string): string[] {
  const rest = message.replace(/^The \w+ ".*?" is invalid: ?/, '');
  return rest
    .split(/\n?^\* /m)
    .map((cause) => cause.trim())
    .filter(Boolean);
}

interface EditFlags extends Omit<TargetFlags, 'selector'> {
  readonly output: 'json' | 'yaml';
}

const EXAMPLES = `
The editor is $KUBE_EDITOR, $EDITOR, or vi. When the change is refused, the editor opens again with the reasons.

Examples:
  podrun edit deployment/web
  KUBE_EDITOR=nano podrun edit configmap settings
`;

/** `podrun edit`: changes objects in an editor. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('edit')
    .summary('Change an object in an editor')
    .description('Opens objects in an editor, one after the other, and stores what was changed.')
    .usage('(TYPE/NAME... | TYPE NAME... | -f FILE) [flags]')
    .argument('[resource...]', 'the objects')
    .option('-f, --filename <file>', 'the objects of this manifest; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with their subfolders', false)
    .option('-n, --namespace <name>', 'namespace of the objects (default: "default")')
    .addOption(
      new Option('-o, --output <format>', 'the format in the editor').choices(['json', 'yaml']).default('yaml'),
    )
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: EditFlags) => run((cli) => edit(cli, words, flags)));
}

async function edit(cli: Cli, words: readonly string[], flags: EditFlags): Promise<number> {
  const store = openStore(cli);
  const targets = { command: 'edit', words, flags: { ...flags, selector: undefined } } as const;
  const refs = await readTargets(cli, store, targets);
  const rulesOf = await loadKindRules(
    store,
    refs.map(({ type }) => type),
  );
  for (const ref of refs) {
    const stored = objectToChange(store, ref);
    if (stored === undefined) throw missingObjectError(store, ref);
    const object = inWholeSeconds(stored);
    const folder = mkdtempSync(path.join(tmpdir(), 'podrun-edit-'));
    const file = path.join(folder, `${ref.name}.${flags.output}`);
    try {
      await editOne(cli, { store, ref, rules: rulesOf(ref.type), object, file, format: flags.output });
    } catch (error) {
      const isTyped = withoutComments(readFileSync(file, 'utf8')) !== renderObject(object, flags.output);
      if (isTyped) cli.stderr.write(`A copy of your changes has been stored to ${goQuote(file)}\n`);
      else removeTree(folder);
      throw error;
    }
    removeTree(folder);
  }
  return EXIT.ok;
}

interface Editing {
  readonly store: FileStore;
  readonly ref: ObjectRef;
  readonly rules: LoadedRules;
  readonly object: StoredKubeObject;
  readonly file: string;
  readonly format: EditFlags['output'];
}

/**
 * Opens the editor until the change is accepted or given up.
 * Source: kubectl/pkg/cmd/util/editor/editoptions.go.
 * @throws {PodrunError} when no valid change was saved: the file is still there
 */
async function editOne(cli: Cli, editing: Editing): Promise<void> {
  const { store, ref, object, file, format } = editing;
  const original = renderObject(object, format);
  let body = original;
  let reason: EditReason | undefined;
  for (;;) {
    const offered = editedText(body, reason);
    writeFileSync(file, offered, { mode: 0o600 });
    await openEditor(cli, file);
    const saved = readFileSync(file, 'utf8');
    body = withoutComments(saved);
    if (reason === undefined && (saved === offered || body === original)) {
      return cli.note('Edit cancelled, no changes made.');
    }
    if (saved === offered) throw new PodrunError('Invalid', 'Edit cancelled, no valid changes were saved.');
    if (body.trim() === '') return cli.note('Edit cancelled, saved file was empty.');
    const outcome = attempt(() => saveChange(cli, editing, body));
    if ('object' in outcome) {
      if (outcome.isChanged) warnOfRest(cli, store, ref);
      const done = outcome.isChanged ? 'edited' : 'skipped';
      return cli.tell(changeLine(cli, outcome.object, done, { dryRun: 'none', printer: undefined }));
    }
    reason = reasonOf(ref, outcome);
    cli.stderr.write(`error: ${reason.line}\n`);
  }
}

/** The answer of an attempt: its result, or the error of the user. */
function attempt(save: () => ChangedObject): ChangedObject | PodrunError {
  try {
    return save();
  } catch (error) {
    if (error instanceof SourceError) return new PodrunError('Invalid', error.message);
    if (error instanceof PodrunError) return error;
    throw error;
  }
}

/** Source: kubectl/pkg/cmd/util/editor/editoptions.go, recordError. */
function reasonOf({ type, name }: ObjectRef, { code, message }: PodrunError): EditReason {
  const subject = `${qualifiedPlural(type)} ${goQuote(name)}`;
  if (code === 'Invalid') {
    return { line: `${subject} is invalid`, head: `${subject} was not valid`, causes: causesIn(message) };
  }
  const head = `${subject} could not be patched: ${message.replace(/^Error from server \(\w+\): /, '')}`;
  return { line: head, head, causes: [] };
}

/** Stores only the differences that the user made, so that other changes made meanwhile are kept. */
function saveChange(cli: Cli, { store, ref, rules, object }: Editing, body: string): ChangedObject {
  const edited = readValue(body);
  if (!isJsonObject(edited)) throw new PodrunError('Invalid', 'the edited file holds no object');
  const named = edited as unknown as KubeObject;
  const isSame = named.kind === object.kind && named.apiVersion === object.apiVersion;
  if (!isSame || named.metadata?.name !== ref.name) {
    throw new PodrunError('Invalid', 'At least one of apiVersion, kind and name was changed');
  }
  const { managedFields: _managed, ...metadata } = object.metadata;
  const patch = mergeDifference({ ...object, metadata }, edited);
  const warn = (text: string): never => {
    throw new PodrunError('Invalid', text);
  };
  const change = (stored: KubeObject): KubeObject => applyPatch(stored, patch, 'merge');
  return changeObject({ store, ref, rules, isDryRun: false, warn, advise: cli.warn, change });
}

/** @throws {PodrunError} when there is no such editor, or it fails */
async function openEditor({ env, signals }: Cli, file: string): Promise<void> {
  const editor = env['KUBE_EDITOR'] || env['EDITOR'] || 'vi';
  // Ctrl-C belongs to the editor. It must not end podrun.
  const ignore = (): void => undefined;
  signals.on('SIGINT', ignore);
  try {
    const exitCode = await runEditor(editor, file, { ...env });
    if (exitCode === 127) {
      const hint = 'Set $KUBE_EDITOR or $EDITOR to an editor of this machine.';
      throw new PodrunError('Unsupported', `unable to launch the editor ${goQuote(editor)}`, { hint });
    }
    if (exitCode !== 0) throw new PodrunError('NotRunning', `there was a problem with the editor ${goQuote(editor)}`);
  } finally {
    signals.off('SIGINT', ignore);
  }
}
