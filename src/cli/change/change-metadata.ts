import type { Command } from 'commander';
import {
  clashes,
  editPairs,
  type KubeObject,
  type PairEdits,
  PodrunError,
  splitPairs,
  type StoredKubeObject,
  usage,
} from '../../api/index.ts';
import { changeLine, type DryRun, dryRunOption, eachObject } from './change-line.ts';
import {
  changeObject,
  loadKindRules,
  missingObjectError,
  objectToChange,
  withClusterObjects,
} from '../../apiserver/index.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { namesFiles, type SelectionFlags, withSelectionFlags } from '../select/selection-flags.ts';
import { openStore } from '../base/environment.ts';
import { refsOf } from '../select/find-objects.ts';
import { isExplicitList, nameMissing, readSelection } from '../select/selection.ts';
import type { Cli } from '../base/cli.ts';

/** The flags of `label` and `annotate`. */
export interface MetadataFlags extends SelectionFlags, OutputFlags {
  readonly all: boolean;
  readonly overwrite: boolean;
  readonly list: boolean;
  readonly resourceVersion: string | undefined;
  readonly dryRun: DryRun;
}

/** Adds the flags that `label` and `annotate` share. */
export function withMetadataFlags(command: Command, what: string): Command {
  return withOutputFlags(withSelectionFlags(command))
    .option('--all', 'all objects of the type in the namespace', false)
    .option('--overwrite', `change ${what} that have another value, too`, false)
    .option('--list', `print the ${what}`, false)
    .option('--resource-version <version>', 'change only what is still at this version; for a single object')
    .addOption(dryRunOption('only print what would change; -o yaml shows the result'));
}

/** The differences between `label` and `annotate`. */
export interface MetadataVerb {
  readonly name: 'annotate' | 'label';
  /** The singular, for messages. */
  readonly noun: 'annotation' | 'label';
  readonly field: 'annotations' | 'labels';
  readonly parse: (pairs: readonly string[]) => PairEdits;
  readonly clash: (clashing: readonly string[]) => string;
  /** kubectl's word for the change. */
  readonly operation: (before: StoredKubeObject, after: StoredKubeObject, isOverwriting: boolean) => string;
}

/** Changes the labels or annotations of objects. Returns the exit code. */
export async function changeMetadata(
  cli: Cli,
  verb: MetadataVerb,
  words: readonly string[],
  flags: MetadataFlags,
): Promise<number> {
  const { resources, pairs } = splitPairs(words, verb.noun);
  const edits = verb.parse(pairs);
  checkFlags(verb, { resources, pairs }, flags);
  const selection = await readSelection(cli, verb.name, resources, flags);
  if (selection.how === 'listed' && !isExplicitList(flags)) throw nameMissing();
  const store = openStore(cli);
  const reader = withClusterObjects(store, { stateDir: store.root, nowMs: cli.clock.now().wallMs });
  const refs = refsOf(reader, selection);
  if (flags.resourceVersion !== undefined && refs.length > 1) {
    throw usage('--resource-version may only be used with a single resource');
  }
  const { dryRun, overwrite } = flags;
  const printer = objectPrinter(cli, flags);
  const rulesOf = await loadKindRules(
    store,
    refs.map(({ type }) => type),
  );
  return eachObject(cli, refs, (ref) => {
    const before = objectToChange(store, ref);
    if (before === undefined) throw missingObjectError(store, ref);
    if (pairs.length === 0) return listing(verb, before, refs.length === 1);
    const missing = edits.remove.filter((key) => before.metadata[verb.field]?.[key] === undefined);
    const change = (stored: KubeObject): KubeObject => edited(verb, stored, edits, flags);
    const rules = rulesOf(ref.type);
    const { object } = changeObject({ store, ref, rules, change, warn: cli.warn, isDryRun: dryRun !== 'none' });
    if (flags.list) return listing(verb, object, refs.length === 1);
    const notes = verb.name === 'label' ? missing.map((key) => `label ${JSON.stringify(key)} not found.\n`) : [];
    return notes.join('') + changeLine(cli, object, verb.operation(before, object, overwrite), { dryRun, printer });
  });
}

/**
 * Refuses flags that contradict each other. Source: kubectl/pkg/cmd/label/label.go and annotate/annotate.go Validate.
 */
function checkFlags(
  { noun }: MetadataVerb,
  { resources, pairs }: { readonly resources: readonly string[]; readonly pairs: readonly string[] },
  flags: MetadataFlags,
): void {
  if (flags.all && flags.selector !== undefined) throw usage('cannot set --all and --selector at the same time');
  if (flags.all && flags.fieldSelector !== undefined) {
    throw usage('cannot set --all and --field-selector at the same time');
  }
  if (flags.list && flags.output !== undefined) throw usage('--list and --output may not be specified together');
  if (resources.length === 0 && !namesFiles(flags)) {
    throw usage('one or more resources must be specified as <resource> <name> or <resource>/<name>');
  }
  if (pairs.length === 0 && !flags.list) throw usage(`at least one ${noun} update is required`);
}

/**
 * Returns the changed object.
 * @throws {PodrunError} when a key has another value already
 */
function edited(
  { field, clash }: MetadataVerb,
  stored: KubeObject,
  edits: PairEdits,
  { overwrite, resourceVersion }: MetadataFlags,
): KubeObject {
  const present = stored.metadata[field];
  const clashing = overwrite ? [] : clashes(present, edits);
  if (clashing.length > 0) throw new PodrunError('Conflict', clash(clashing));
  const { [field]: _, ...rest } = stored.metadata;
  const pairs = editPairs(present, edits);
  const metadata = {
    ...rest,
    ...(pairs !== undefined && { [field]: pairs }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return { ...stored, metadata };
}

function listing({ field }: MetadataVerb, object: StoredKubeObject, isOnlyOne: boolean): string {
  const pairs = Object.entries(object.metadata[field] ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (isOnlyOne) return pairs.map(([key, value]) => `${key}=${value}\n`).join('');
  const { kind, apiVersion } = object;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const heading = `Listing ${field} for ${kind}.${group}/${object.metadata.name}:\n`;
  return heading + pairs.map(([key, value]) => ` ${key}=${value}\n`).join('');
}
