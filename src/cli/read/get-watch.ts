import {
  namespacedResources,
  ownValue,
  type PodrunError,
  type ResourceType,
  SelectedChanges,
  type ServiceSpec,
  storageOf,
  type StoredKubeObject,
  usage,
  type WatchEvent,
} from '../../api/index.ts';
import { BUDGET_SOURCES, getObject, missingObjectError } from '../../apiserver/index.ts';
import { caught } from '../../defects.ts';
import { reachedAddresses } from '../../network/index.ts';
import { sortObjects, TablePrinter } from '../../print/index.ts';
import type { ObjectReader, Resource, Scope, Store } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import { displayNowMs } from '../base/environment.ts';
import { untilStopped } from '../base/signals.ts';
import type { ObjectPrinter } from '../output/object-printer.ts';
import { writePrinted } from '../output/paged-output.ts';
import type { Selection } from '../select/selection.ts';
import { columnsOfType, type GetFlags, tableOptions } from './get-flags.ts';

interface WatchOptions {
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
  const subscription = store.watch<StoredKubeObject>(storageOf(type), scope, listener, { replay: true });
  for (const object of notStored(reader, type, scope, present)) listener({ type: 'ADDED', object });
  const endFollowing = computed.follow(store, scope, listener);
  if (!flags.watchOnly) show(inOrder(present, flags.sortBy));
  present = undefined;
  const exitCode = await stopped;
  endFollowing();
  subscription.close();
  return exitCode;
}

/** The objects that every cluster has: the node, and the namespaces and ServiceAccounts that a new cluster has. */
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
    .list<StoredKubeObject>(storageOf(type), scope)
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

/** Prints rows as continuations of one table. */
function rowRenderer(type: ResourceType, flags: GetFlags, nowMs: () => number): Render {
  const table = new TablePrinter(columnsOfType(type), tableOptions(type, flags, false));
  return (changes) => {
    const rows = changes.map((change) => ({ ...change, object: withReachedAddresses(change.object, flags) }));
    return table.render(rows, nowMs());
  };
}

/** The resources whose objects have fields that are computed when they are read, and what they are computed from. */
const SOURCES: Readonly<Record<string, readonly Resource[]>> = {
  nodes: [],
  poddisruptionbudgets: BUDGET_SOURCES,
  resourcequotas: namespacedResources(),
};

/**
 * Changes as readers see them. The store keeps no status of PodDisruptionBudgets and quotas: each change of what they
 * count may be a change of theirs.
 */
class ComputedWatch {
  readonly #reader: ObjectReader;
  readonly #resource: Resource;
  readonly #sources: readonly Resource[] | undefined;
  /** The objects that were read last as texts, by uid. Without the times of conditions: see `withBudgetStatus`. */
  readonly #seen = new Map<string, string>();

  /** @param reader the store with the objects that every cluster has */
  constructor(reader: ObjectReader, { plural }: ResourceType) {
    this.#reader = reader;
    this.#resource = plural;
    this.#sources = ownValue(SOURCES, plural);
  }

  /** A change of a stored object, with what is computed. */
  read({ type, object }: ObjectChange): ObjectChange {
    if (this.#sources === undefined) return { type, object };
    const { namespace, name } = object.metadata;
    const read = this.#reader.get<StoredKubeObject>(this.#resource, namespace, name) ?? object;
    this.#isNew(read);
    return { type, object: read };
  }

  /** Tells of objects whose computed fields change. The result ends that. */
  follow(store: Store, scope: Scope, listener: (change: ObjectChange) => void): () => void {
    let isPlanned = false;
    const look = (): void => {
      isPlanned = false;
      for (const object of this.#reader.list<StoredKubeObject>(this.#resource, scope))
        if (this.#isNew(object)) listener({ type: 'MODIFIED', object });
    };
    const plan = (): void => {
      if (!isPlanned) queueMicrotask(caught(look));
      isPlanned = true;
    };
    const { namespace } = scope;
    const watched: Scope = namespace === undefined ? {} : { namespace };
    const subscriptions = (this.#sources ?? []).map((resource) => store.watch(resource, watched, plan));
    return () => subscriptions.forEach((subscription) => subscription.close());
  }

  #isNew(object: StoredKubeObject): boolean {
    const text = JSON.stringify(object, (key, value: unknown) => (key === 'lastTransitionTime' ? undefined : value));
    const { uid } = object.metadata;
    if (this.#seen.get(uid) === text) return false;
    this.#seen.set(uid, text);
    return true;
  }
}

/**
 * An object as tables show it. A Service of this machine has the addresses at which the machine reaches it: people look
 * for them under EXTERNAL-IP. Its status has them for the type LoadBalancer only, since programs take a Service with
 * such addresses for one that is exposed.
 */
export function withReachedAddresses(
  object: StoredKubeObject,
  { from, context }: Pick<GetFlags, 'from' | 'context'>,
): StoredKubeObject {
  const spec: ServiceSpec = object['spec'] ?? {};
  if (object.kind !== 'Service' || spec.type === 'LoadBalancer' || from.length > 0 || context !== undefined)
    return object;
  const ingress = reachedAddresses(spec).map((ip) => ({ ip }));
  return { ...object, status: { loadBalancer: { ingress } } };
}
