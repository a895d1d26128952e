import type { Command } from 'commander';
import { EXIT, PodrunError, resourceTypeOf, type StoredKubeObject, usage } from '../../api/index.ts';
import { listOf, renderTable, sortObjects } from '../../print/index.ts';
import { loadPart, missingObjectError, withClusterObjects } from '../../apiserver/index.ts';
import type { ObjectReader } from '../../store/index.ts';
import { displayNowMs, openStore } from '../base/environment.ts';
import { fromOption, refuseOfSaved, savedObjects } from '../from/saved-objects.ts';
import { objectPrinter, type ObjectPrinter } from '../output/object-printer.ts';
import { LIST_FORMATS, withOutputFlags } from '../output/output-flags.ts';
import { writePrinted } from '../output/paged-output.ts';
import { columnsOfType, type GetFlags, tableOptions } from '../read/get-flags.ts';
import { reportErrors } from '../base/report-error.ts';
import { findObjects, type FoundGroup, type FoundObjects, noneFound } from '../select/find-objects.ts';
import { AT_DESCRIPTION, isAboutPast, refuseWatchedPast } from '../select/run-names.ts';
import { namesFiles, withSelectionFlags } from '../select/selection-flags.ts';
import { readSelection, type Selection } from '../select/selection.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { watchObjects, withReachedAddresses } from '../read/get-watch.ts';
import { pastPods } from '../history/past-pods.ts';
import { contextOption } from '../flags/options.ts';

const EXAMPLES = `
Examples:
  podrun get                        # the Pods
  podrun get pods -o wide
  podrun get pod web -o yaml
  podrun get pods -w -o json --output-watch-events
  podrun get all                    # Pods, Services and workloads
  podrun get deploy,rs -l app=web
  podrun get pods,events -n test
  podrun get pods --from pods.json -o wide
  podrun get pods --sort-by=.metadata.creationTimestamp
  podrun get pods -o custom-columns=NAME:.metadata.name,IP:.status.podIP
  podrun get pods -o jsonpath='{range .items[*]}{.metadata.name}{"\\t"}{.status.phase}{"\\n"}{end}'
  podrun get deployment web --subresource=scale
  podrun get pods -o go-template='{{range .items}}{{.metadata.name}} {{.status.phase}}{{"\\n"}}{{end}}'
  podrun get pod web -o yaml --at 3.2s   # the Pod 3.2s after its creation; web@1 is the run before
`;

/** `podrun get`: lists objects, or prints them. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('get')
    .summary('List Pods and other objects')
    .description('Lists or prints objects (default: Pods).')
    .usage('[TYPE [NAME...] | TYPE/NAME... | -f FILE] [flags]')
    .argument('[resource...]', 'pods, deployments, jobs, services, events, configmaps, …; with or without names');
  withOutputFlags(withSelectionFlags(command), LIST_FORMATS)
    .addOption(fromOption())
    .addOption(contextOption())
    .option('--sort-by <path>', 'sort by the value at this JSONPath, for example .status.startTime', '')
    .option('-w, --watch', 'then print each change, until Ctrl-C', false)
    .option('--watch-only', 'print changes only, not the present objects', false)
    .option('--output-watch-events', 'print the type of each change: ADDED, MODIFIED, DELETED', false)
    .option('--no-headers', 'print no headings')
    .option('--show-labels', 'show the labels in the last column', false)
    .option(
      '-L, --label-columns <keys>',
      'show a column for each of these labels',
      (keys: string, before: readonly string[]): readonly string[] => [...before, ...keys.split(',')],
      [],
    )
    .option('--show-kind', 'put the type in front of names', false)
    .option('--subresource <name>', 'this part of named objects: status, scale, …')
    .option('--ignore-not-found', 'ignore names that do not exist', false)
    .option('--at <moment>', AT_DESCRIPTION)
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: GetFlags) => run((cli) => get(cli, words, flags)));
}

async function get(cli: Cli, words: readonly string[], flags: GetFlags): Promise<number> {
  checkFlags(flags);
  const printer = objectPrinter(cli, flags);
  const noWords = words.length === 0 && !namesFiles(flags);
  const selection = await readSelection(cli, 'get', noWords ? ['pods'] : words, flags);
  if (flags.subresource !== undefined && selection.how === 'listed')
    throw usage('subresource cannot be used when bulk resources are specified');
  if (flags.watch || flags.watchOnly) {
    const store = openStore(cli, flags.context);
    const reader = withClusterObjects(store, { stateDir: store.root, nowMs: displayNowMs(cli) });
    return watchObjects(cli, { store, reader, selection, flags, printer });
  }
  const { selected, reader, nowMs } = await withParts(cli, await findWanted(cli, selection, flags), flags);
  const errors = flags.ignoreNotFound ? [] : selected.missing.map((ref) => missingObjectError(reader, ref));
  try {
    if (printer !== undefined) writePrinted(cli.stdout, () => renderObjects(selected, selection, flags, printer));
    else cli.stdout.write(renderTables(cli, selected, selection, flags, nowMs));
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    errors.push(error);
  }
  return errors.length === 0 ? EXIT.ok : reportErrors(cli.stderr, errors);
}

interface Wanted {
  readonly selected: FoundObjects;
  /** The store, or the other source of the objects. */
  readonly reader: ObjectReader;
  /** The time that ages count to, milliseconds since 1970. */
  readonly nowMs: number;
}

/** Finds the objects of a selection: in the store, in the past of Pods, or in saved files. */
async function findWanted(cli: Cli, selection: Selection, flags: GetFlags): Promise<Wanted> {
  const nowMs = displayNowMs(cli);
  if (flags.from.length > 0) {
    const reader = await savedObjects(cli, flags);
    return { selected: findObjects(reader, selection), reader, nowMs };
  }
  const store = openStore(cli, flags.context);
  const reader = withClusterObjects(store, { stateDir: store.root, nowMs });
  if (!isAboutPast(selection, flags.at)) {
    const selected = findObjects(reader, selection);
    return {
      selected,
      reader,
      nowMs: displayNowMs(
        cli,
        selected.groups.flatMap(({ objects }) => objects),
      ),
    };
  }
  return { ...pastPods(store, selection, { at: flags.at, nowMs }), reader };
}

const SCALE = { apiVersion: 'autoscaling/v1', kind: 'Scale' };

/** The parts of the objects that `--subresource` asks for. A Scale is of a kind of its own. */
async function withParts(cli: Cli, wanted: Wanted, { subresource }: GetFlags): Promise<Wanted> {
  if (subresource === undefined) return wanted;
  const groups: FoundGroup[] = [];
  for (const { type, objects } of wanted.selected.groups) {
    const part = await loadPart(openStore(cli), type, subresource);
    const parts = objects.map((object) => part.of(object) as StoredKubeObject);
    groups.push({ type: part.into === undefined ? type : resourceTypeOf(SCALE), objects: parts });
  }
  return { ...wanted, selected: { ...wanted.selected, groups } };
}

/** @throws {PodrunError} (usage) in kubectl's words */
function checkFlags({ from, at, output, showLabels, outputWatchEvents, watch, watchOnly }: GetFlags): void {
  refuseWatchedPast(at, watch || watchOnly);
  refuseOfSaved({ from, ...(at !== undefined && { at }), watch: watch || watchOnly });
  if (showLabels && output !== undefined && output !== 'wide') {
    throw usage(`--show-labels option cannot be used with ${output} printer`);
  }
  if (outputWatchEvents && !watch && !watchOnly) {
    throw usage('--output-watch-events option can only be used with --watch or --watch-only');
  }
}

function renderTables(
  cli: Cli,
  { groups }: FoundObjects,
  selection: Selection,
  flags: GetFlags,
  nowMs: number,
): string {
  const sorted = groups.map((group) => sortedGroup(group, flags.sortBy));
  // As in kubectl, a failed sort prints an empty table.
  const isEmpty = sorted.every(({ objects }) => objects.length === 0);
  if (isEmpty && selection.how === 'listed' && !flags.ignoreNotFound) cli.note(noneFound(selection));
  const isMixed = selection.how === 'listed' ? selection.types.length > 1 : groups.length > 1;
  const tables = sorted.map(({ type, objects }) => {
    const rows = objects.map((object) => withReachedAddresses(object, flags));
    return renderTable(columnsOfType(type), rows, nowMs, tableOptions(type, flags, isMixed));
  });
  return tables.filter((table) => table !== '').join(flags.headers ? '\n' : '');
}

function sortedGroup(group: FoundGroup, sortBy: string): FoundGroup {
  if (sortBy === '') return group;
  const sorted = sortObjects(group.objects, sortBy);
  return { ...group, objects: 'problem' in sorted ? [] : sorted.objects };
}

/** Prints one named object as an object, and everything else as a list. */
function renderObjects(
  { groups }: FoundObjects,
  selection: Selection,
  flags: GetFlags,
  printer: ObjectPrinter,
): string {
  const objects = groups.flatMap((group) => group.objects);
  if (objects.length === 0 && flags.ignoreNotFound) return '';
  if (selection.how === 'named' && selection.refs.length === 1) {
    const [only] = objects;
    return only === undefined ? '' : printer.print(only);
  }
  return printer.print(listOf(sortedObjects(objects, flags.sortBy)));
}

/**
 * Sorts by a JSONPath.
 * @throws {PodrunError} when no object has the field
 */
function sortedObjects(objects: readonly StoredKubeObject[], sortBy: string): readonly StoredKubeObject[] {
  if (sortBy === '') return objects;
  const sorted = sortObjects(objects, sortBy);
  if ('problem' in sorted) throw sorted.problem;
  return sorted.objects;
}
