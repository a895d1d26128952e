import type { Command } from 'commander';
import { EXIT, storageOf, type StoredEvent, type StoredKubeObject } from '../../api/index.ts';
import { describeObject, describePods } from '../../print/index.ts';
import { missingObjectError, type ObjectRef, withClusterObjects } from '../../apiserver/index.ts';
import type { ObjectReader } from '../../store/index.ts';
import { displayNowMs, openStore } from '../base/environment.ts';
import { type FromFlags, fromOption, refuseOfSaved, savedObjects } from '../from/saved-objects.ts';
import { showPaged } from '../output/paged-output.ts';
import { reportErrors } from '../base/report-error.ts';
import { findObjects, noneFound } from '../select/find-objects.ts';
import { AT_DESCRIPTION, isAboutPast } from '../select/run-names.ts';
import { namesFiles, type SelectionFlags, withSelectionFlags } from '../select/selection-flags.ts';
import { readSelection, type Selection } from '../select/selection.ts';
import { typesIn } from '../select/type-named.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { pastPods } from '../history/past-pods.ts';
import { type ContextFlags, contextOption } from '../flags/options.ts';

interface DescribeFlags extends SelectionFlags, Pick<FromFlags, 'from'>, ContextFlags {
  readonly showEvents: boolean;
  /** The moment of `--at`, see history/base/moment.ts. */
  readonly at?: string;
}

const EXAMPLES = `
Examples:
  podrun describe                   # every Pod
  podrun describe pod web
  podrun describe web               # the same
  podrun describe pod we            # without a Pod named we: every Pod whose name begins with we
  podrun describe web --at restart:1    # when a container had been restarted once
  podrun describe deployments       # with their ReplicaSets
  podrun describe pod/web svc/web
  podrun describe jobs -l app=web
  podrun describe node              # this machine, and the requests of its Pods
  podrun describe web@1             # the run before the latest
  podrun describe --from pod.json --from events.json    # objects saved from a cluster
`;

/** `podrun describe`: prints objects in full, with their events. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('describe')
    .summary('Show the details of Pods and other objects')
    .description('Shows the details of objects (default: Pods), with their events.')
    .usage('[TYPE [NAME...] | TYPE/NAME... | NAME | -f FILE] [flags]')
    .argument('[resource-or-pod...]', 'a type with or without names, or the name of a Pod, or its beginning');
  withSelectionFlags(command)
    .option('--no-show-events', 'leave out the events')
    .addOption(fromOption())
    .addOption(contextOption())
    .option('--at <moment>', AT_DESCRIPTION)
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: DescribeFlags) => run((cli) => describe(cli, words, flags)));
}

async function describe(cli: Cli, words: readonly string[], flags: DescribeFlags): Promise<number> {
  const selection = await readSelection(cli, 'describe', withType(cli, words, flags), flags);
  refuseOfSaved({ ...flags, watch: false });
  const nowMs = displayNowMs(cli);
  if (flags.from.length > 0) return describeFound(cli, await savedObjects(cli, flags), selection, flags, nowMs);
  const store = openStore(cli, flags.context);
  if (!isAboutPast(selection, flags.at)) {
    const reader = withClusterObjects(store, { stateDir: store.root, nowMs });
    return describeFound(cli, reader, selection, flags, nowMs);
  }
  const past = pastPods(store, selection, { at: flags.at, nowMs });
  await showPaged(cli, describePods(past.pods, flags.showEvents ? past.events : undefined, past.nowMs));
  return EXIT.ok;
}

async function describeFound(
  cli: Cli,
  store: ObjectReader,
  selection: Selection,
  flags: DescribeFlags,
  nowMs: number,
): Promise<number> {
  const { objects, isGuess, missing } = findDescribed(store, selection);
  const list = listOnce(store);
  const texts = objects.map((object) => {
    const { namespace, name } = object.metadata;
    const events = flags.showEvents ? store.list<StoredEvent>('events', { namespace, aboutPod: name }) : undefined;
    const inside = object.kind === 'Namespace' ? name : namespace;
    const asOfMs = Math.max(nowMs, displayNowMs(cli, [object, ...(events ?? [])]));
    return describeObject(object, { events, nowMs: asOfMs, list: (resource) => list(resource, inside) as never });
  });
  await showPaged(cli, isGuess ? texts.map((text) => `${text}\n`).join('') : texts.join('\n\n'));
  if (objects.length === 0 && selection.how === 'listed') cli.note(noneFound(selection));
  return missing.length === 0
    ? EXIT.ok
    : reportErrors(
        cli.stderr,
        missing.map((ref) => missingObjectError(store, ref)),
      );
}

/** Adds the type `pods` when the first word names no type. */
function withType(cli: Cli, words: readonly string[], flags: DescribeFlags): readonly string[] {
  const [first, ...rest] = words;
  if (first === undefined) return namesFiles(flags) ? [] : ['pods'];
  const isName = rest.length === 0 && !/[/,]/.test(first) && typesIn(cli)(first) === undefined && first !== 'all';
  return isName ? ['pods', first] : words;
}

interface Described {
  readonly objects: readonly StoredKubeObject[];
  readonly missing: readonly ObjectRef[];
  /** True when no object has the name, and these names begin with it. */
  readonly isGuess: boolean;
}

function findDescribed(store: ObjectReader, selection: Selection): Described {
  const selected = findObjects(store, selection);
  const [missing, ...more] = selected.missing;
  if (missing !== undefined && more.length === 0 && selected.groups.length === 0 && missing.file === undefined) {
    const { namespace, type } = missing;
    const all = store.list<StoredKubeObject>(storageOf(type), { namespace });
    const similar = all.filter(({ metadata }) => metadata.name.startsWith(missing.name));
    if (similar.length > 0) return { objects: similar, missing: [], isGuess: true };
  }
  return { objects: selected.groups.flatMap(({ objects }) => objects), missing: selected.missing, isGuess: false };
}

/** Lists the objects of a namespace, each kind once: many described objects need the same list. */
function listOnce(store: ObjectReader): (resource: string, namespace: string | undefined) => readonly unknown[] {
  const lists = new Map<string, readonly unknown[]>();
  return (resource, namespace) => {
    const key = `${resource} ${namespace ?? ''}`;
    const list = lists.get(key) ?? store.list(resource, { namespace });
    lists.set(key, list);
    return list;
  };
}
