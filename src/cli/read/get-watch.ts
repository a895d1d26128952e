import {
  type PodrunError,
  type ResourceType,
  SelectedChanges,
  type StoredKubeObject,
  usage,
  type WatchEvent,
} from '../../api/index.ts';
import { columnsOf, sortObjects, TablePrinter } from '../../print/index.ts';
import type { ObjectReader, Scope, Store } from '../../store/index.ts';
import { getObject, missingObjectError } from '../../apiserver/index.ts';
import { displayNowMs } from '../base/environment.ts';
import type { ObjectPrinter } from '../output/object-printer.ts';
import { writePrinted } from '../output/write-printed.ts';
import { ComputedWatch } from './computed-watch.ts';
import { type GetFlags, tableOptions } from './get-flags.ts';
import type { Selection } from '../select/selection.ts';
import { untilStopped } from '../base/until-stopped.ts';
import type { Cli } from '../base/cli.ts';

export interface WatchOptions {
  readonly store: Store;
  /** The store with the objects that every cluster has: see cluster-objects.ts. */
  readonly reader: ObjectReader;
  readonly selection: Selection;
  readonly flags: GetFlags;
  /** Undefined for tables. */
  readonly printer: ObjectPrinter | undefined;
}

type ObjectChange = WatchEvent<StoredKubeObject>;

/** Runs `get -w`: prints the objects, then every change, until the user stops the command. */
export async function watchObjects(cli: Cli, options: WatchOptions): Promise<number> {
  const { store, reader, selection, flags, printer } = options;
  const { type, scope, changes } = watched(reader, selection);
  const computed = new ComputedWatch(reader, type);
  const stopped = untilStopped(cli);
  let newest: readonly StoredKubeObject[] = [];
  const render =
    printer === undefined
      ? rowRenderer(type, flags, () => displayNowMs(cli, newest))
      : (seen: readonly ObjectChange[]) => printer.printChanges(seen, flags.outputWatchEvents);
  const show = (seen: readonly ObjectChange[]): void => writePrinted(cli.stdout, () => render(seen));
  if (flags.sortBy !== '') {
    cli.stderr.write('warning: --watch requested, --sort-by will be ignored for watch events received\n');
  }
  let present: ObjectChange[] | undefined = [];
  const listener = (seen: ObjectChange): void => {
    const selected = changes.select(computed.read(seen));
    if (selected === undefined) return;
    newest = [selected.object];
    if (present === undefined) show([selected]);
    else present.push(selected);
  };
  const subscription = store.watch<StoredKubeObject>(type.plural, scope, listener, { replay: true });
  for (const object of notStored(reader, type, scope, present)) listener({ type: 'ADDED', object });
  const endFollowing = computed.follow(store, scope, listener);
  if (!flags.watchOnly) show(inOrder(present, flags.sortBy));
  present = undefined;
  const exitCode = await stopped;
  endFollowing();
  subscription.close();
  return exitCode;
}

/** The objects that every cluster has: the node, and namespaces and ServiceAccounts that nobody created. */
function notStored(
  reader: ObjectReader,
  type: ResourceType,
  scope: Scope,
  stored: readonly ObjectChange[],
): readonly StoredKubeObject[] {
  if (type.isNamespaced && type.kind !== 'ServiceAccount') return [];
  const keyOf = ({ metadata: { namespace, name } }: StoredKubeObject): string => `${namespace}/${name}`;
  const known = new Set(stored.map(({ object }) => keyOf(object)));
  return reader
    .list<StoredKubeObject>(type.plural, scope)
    .filter((object) => !known.has(keyOf(object)) && (scope.name ?? object.metadata.name) === object.metadata.name);
}

interface Watched {
  readonly type: ResourceType;
  readonly scope: Scope;
  readonly changes: SelectedChanges;
}

function watched(store: ObjectReader, selection: Selection): Watched {
  if (selection.how === 'named') {
    const [ref, ...more] = selection.refs;
    if (ref === undefined || more.length > 0) throw tooMany(selection.refs.length);
    if (getObject(store, ref) === undefined) throw missingObjectError(store, ref);
    const { namespace, name } = ref;
    return { type: ref.type, scope: { namespace, name }, changes: new SelectedChanges(() => true) };
  }
  const [type, ...more] = selection.types;
  if (type === undefined || more.length > 0) throw tooMany(selection.types.length);
  return {
    type,
    scope: type.isNamespaced ? { namespace: selection.namespace } : {},
    changes: new SelectedChanges((object) => selection.matches(type, object)),
  };
}

function tooMany(count: number): PodrunError {
  return usage(
    `watch is only supported on individual resources and resource collections - ${count} resources were found`,
  );
}

/** Sorts the first objects. Later changes are printed in the order of their arrival. */
function inOrder(present: readonly ObjectChange[], sortBy: string): readonly ObjectChange[] {
  if (sortBy === '') return present;
  const sorted = sortObjects(
    present.map(({ object }) => object),
    sortBy,
  );
  if ('problem' in sorted) throw sorted.problem;
  return sorted.objects.map((object) => ({ type: 'ADDED', object }));
}

type Render = (changes: readonly ObjectChange[]) => string;

/** Prints rows of one table that goes on. */
function rowRenderer(type: ResourceType, flags: GetFlags, nowMs: () => number): Render {
  const table = new TablePrinter(columnsOf(type.plural), tableOptions(type, flags, false));
  return (changes) => table.render(changes, nowMs());
}
