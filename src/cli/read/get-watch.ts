import { EXIT, PodrunError } from '../../api/errors.ts';
import type { StoredKubeObject, WatchEvent } from '../../api/objects.ts';
import { qualifiedKind, type ResourceType } from '../../api/resource-types.ts';
import { SelectedChanges } from '../../api/selected-changes.ts';
import type { Clock } from '../../clock.ts';
import { renderObject, renderWatchLine } from '../../print/object.ts';
import { columnsOf } from '../../print/resource-columns.ts';
import { TablePrinter } from '../../print/table-printer.ts';
import type { Scope, Store } from '../../store/store.ts';
import { getObject, notFound } from '../../run/object-ref.ts';
import { displayNowMs } from '../environment.ts';
import type { GetFlags } from './get.ts';
import { tableOptions } from './get-table-options.ts';
import type { Selection } from '../select/selection.ts';
import { StandardOutput } from '../standard-output.ts';
import { untilStopped } from '../until-stopped.ts';

export interface WatchOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly selection: Selection;
  readonly flags: GetFlags;
}

type Change = WatchEvent<StoredKubeObject>;

/** `get -w`: what there is, then every change, one after the other, until the user has seen enough. */
export async function watchObjects({ store, clock, selection, flags }: WatchOptions): Promise<number> {
  const { type, scope, changes } = watched(store, selection);
  const out = new StandardOutput();
  const stopped = untilStopped(clock, out);
  const render = changeRenderer(type, flags, () => displayNowMs(clock));
  let present: Change[] | undefined = [];
  const listener = (seen: Change): void => {
    const change = changes.select(seen);
    if (change === undefined) return;
    if (present === undefined) out.write(render([change]));
    else present.push(change);
  };
  const subscription = store.watch<StoredKubeObject>(type.plural, scope, listener, { replay: true });
  if (!flags.watchOnly) out.write(render(present));
  present = undefined;
  const exitCode = await stopped;
  subscription.close();
  return exitCode;
}

interface Watched {
  readonly type: ResourceType;
  readonly scope: Scope;
  readonly changes: SelectedChanges;
}

function watched(store: Store, selection: Selection): Watched {
  if (selection.how === 'named') {
    const [ref, ...more] = selection.refs;
    if (ref === undefined || more.length > 0) throw tooMany(selection.refs.length);
    if (getObject(store, ref) === undefined) throw notFound(store, ref);
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
  return new PodrunError(
    `error: watch is only supported on individual resources and resource collections - ${count} resources were found`,
    { exitCode: EXIT.usage },
  );
}

/** How changes are printed: rows of one table that goes on, or object after object. */
function changeRenderer(
  type: ResourceType,
  flags: GetFlags,
  nowMs: () => number,
): (changes: readonly Change[]) => string {
  const { output, outputWatchEvents } = flags;
  if (output === undefined || output === 'wide') {
    const options = tableOptions(flags, flags.showKind ? qualifiedKind(type) : undefined);
    const table = new TablePrinter(columnsOf(type.plural), options);
    return (changes) => table.render(changes, nowMs());
  }
  let separator = '';
  const renderOne = (change: Change): string => {
    if (outputWatchEvents && output === 'json') return renderWatchLine(change.type, change.object);
    const text = separator + renderObject(change.object, output);
    if (output === 'yaml') separator = '---\n';
    return text;
  };
  return (changes) => changes.map(renderOne).join('');
}
