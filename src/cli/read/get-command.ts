import { EXIT } from '../../api/errors.ts';
import type { StoredKubeObject } from '../../api/objects.ts';
import { qualifiedKind } from '../../api/resource-types.ts';
import { SystemClock } from '../../clock.ts';
import { listOf, renderObject } from '../../print/object.ts';
import { columnsOf } from '../../print/resource-columns.ts';
import { renderTable } from '../../print/table-printer.ts';
import { notFound } from '../../run/object-ref.ts';
import { displayNowMs, openStore } from '../environment.ts';
import { findObjects, type Found, noneFound } from '../select/find-objects.ts';
import type { GetFlags } from './get.ts';
import { tableOptions } from './get-table-options.ts';
import { reportErrors } from '../report-error.ts';
import { readSelection, type Selection } from '../select/selection.ts';
import { isAboutPast, refuseWatchedPast } from '../select/run-names.ts';
import { StandardOutput } from '../standard-output.ts';

/** `podrun get`: flags in, exit code out. */
export async function get(words: readonly string[], flags: GetFlags): Promise<number> {
  const noWords = words.length === 0 && flags.filename.length === 0;
  const selection = await readSelection('get', noWords ? ['pods'] : words, flags);
  const clock = new SystemClock();
  let nowMs = displayNowMs(clock);
  const store = openStore(flags.stateDir, clock);
  refuseWatchedPast(flags.at, flags.watch || flags.watchOnly);
  if (flags.watch || flags.watchOnly) {
    const { watchObjects } = await import('./get-watch.ts');
    return watchObjects({ store, clock, selection, flags });
  }
  let found: Found;
  if (isAboutPast(selection, flags.at)) {
    const { pastPods } = await import('../history/past-pods.ts');
    const past = pastPods(store, selection, { at: flags.at, nowMs });
    nowMs = past.nowMs;
    found = past.found;
  } else found = findObjects(store, selection);
  const out = new StandardOutput();
  out.write(renderFound(found, selection, flags, nowMs));
  const missing = flags.ignoreNotFound ? [] : found.missing.map((ref) => notFound(store, ref));
  const isTable = flags.output === undefined || flags.output === 'wide';
  const isEmpty = selection.how === 'listed' && found.groups.length === 0;
  if (isEmpty && isTable && !flags.ignoreNotFound) process.stderr.write(`${noneFound(selection)}\n`);
  return missing.length === 0 ? EXIT.ok : reportErrors(missing);
}

function renderFound({ groups }: Found, selection: Selection, flags: GetFlags, nowMs: number): string {
  const { output } = flags;
  if (output === undefined || output === 'wide') {
    const isMixed = selection.how === 'listed' ? selection.types.length > 1 : groups.length > 1;
    const tables = groups.map(({ type, objects }) => {
      const options = tableOptions(flags, isMixed || flags.showKind ? qualifiedKind(type) : undefined);
      return renderTable(columnsOf(type.plural), objects, nowMs, options);
    });
    return tables.join(flags.headers ? '\n' : '');
  }
  const objects = groups.flatMap((group) => group.objects);
  const only = onlyObject(selection, objects);
  if (only !== undefined) return renderObject(only, output);
  // A name that does not exist has its error; a list is also printed when it is empty.
  return selection.how === 'named' && objects.length === 0 ? '' : renderObject(listOf(objects), output);
}

/** One name is answered with that object, everything else with a list. */
function onlyObject(selection: Selection, objects: readonly StoredKubeObject[]): StoredKubeObject | undefined {
  return selection.how === 'named' && selection.refs.length === 1 ? objects[0] : undefined;
}
