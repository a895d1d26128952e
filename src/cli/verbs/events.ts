import type { Command } from 'commander';
import { DEFAULT_NAMESPACE, EXIT, type StoredEvent, usage } from '../../api/index.ts';
import { EventTablePrinter, listOf, renderEvents, sortedByLastSeen } from '../../print/index.ts';
import type { Store } from '../../store/index.ts';
import { displayNowMs, openStore } from '../base/environment.ts';
import { type FromFlags, fromOption, refuseOfSaved, savedObjects } from '../from/saved-objects.ts';
import { objectPrinter, type ObjectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { writePrinted } from '../output/paged-output.ts';
import { mustFindType } from '../select/resource-arguments.ts';
import { typesIn } from '../select/type-named.ts';
import { isRunName, refuseWatchedPast } from '../select/run-names.ts';
import { untilStopped } from '../base/signals.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { pastEvents } from '../history/past-pods.ts';
import { type ContextFlags, contextOption } from '../flags/options.ts';

interface EventsFlags extends OutputFlags, Pick<FromFlags, 'from'>, ContextFlags {
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly for: string | undefined;
  readonly types: string | undefined;
  readonly watch: boolean;
  readonly headers: boolean;
  /** The moment of `--at`, see history/base/moment.ts. */
  readonly at?: string;
}

const EXAMPLES = `
Examples:
  podrun events
  podrun events web --types=Warning
  podrun events --for deployment/web
  podrun events -w
  podrun events --for pod/web --at restart:1
  podrun events --from events.json
`;

/** `podrun events`: lists events, the latest last. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('events')
    .summary('List events, the latest last')
    .description('Lists the events of a namespace, the latest last.')
    .usage('[POD | TYPE/NAME] [flags]')
    .argument('[object]', 'the object of the events, as with --for');
  withOutputFlags(command)
    .addOption(fromOption())
    .addOption(contextOption())
    .option('--for <type/name>', 'only events about this object')
    .option('--types <types>', 'only events of these types: Normal, Warning')
    .option('-n, --namespace <name>', 'namespace of the events (default: "default")')
    .option('-A, --all-namespaces', 'the events of all namespaces', false)
    .option('-w, --watch', 'then print each new event, until Ctrl-C', false)
    .option('--no-headers', 'print no headings')
    .option('--at <moment>', 'the events up to a moment: 3.2s after the creation of the Pod, restart:2, …')
    .addHelpText('after', EXAMPLES)
    .action((object: string | undefined, flags: EventsFlags) => run((cli) => events(cli, withObject(flags, object))));
}

/** The flags with the object that stands alone in their `--for`. @throws {PodrunError} (usage) when both are given */
function withObject(flags: EventsFlags, object: string | undefined): EventsFlags {
  if (object === undefined) return flags;
  if (flags.for !== undefined) throw usage('an object and --for cannot be given together');
  return { ...flags, for: object.includes('/') ? object : `pod/${object}` };
}

async function events(cli: Cli, flags: EventsFlags): Promise<number> {
  const isWanted = eventFilter(cli, flags);
  const printer = objectPrinter(cli, flags);
  const nowMs = (): number => displayNowMs(cli);
  const scope = { namespace: flags.allNamespaces ? undefined : flags.namespace || DEFAULT_NAMESPACE };
  refuseWatchedPast(flags.at, flags.watch);
  refuseOfSaved(flags);
  if (flags.watch) {
    const store = openStore(cli, flags.context);
    const stopped = untilStopped(cli);
    followEvents({ store, scope, isWanted, show: eventRenderer(cli, { flags, printer, nowMs }) });
    return stopped;
  }
  const { events, asOfMs } = await findEvents(cli, flags);
  const { allNamespaces } = flags;
  if (printer === undefined)
    cli.stdout.write(renderEvents(events, asOfMs, { allNamespaces, noHeaders: !flags.headers }));
  // As in kubectl, `-o name` prints nothing.
  else if (flags.output !== 'name')
    writePrinted(cli.stdout, () => printer.print({ ...listOf(events), kind: 'EventList', metadata: {} }));
  if (events.length === 0 && printer === undefined) {
    const where = scope.namespace === undefined ? '' : ` in ${scope.namespace} namespace`;
    cli.note(`No events found${where}.`);
  }
  return EXIT.ok;
}

interface FoundEvents {
  readonly events: readonly StoredEvent[];
  /** The time that ages count to, milliseconds since 1970. */
  readonly asOfMs: number;
}

async function findEvents(cli: Cli, flags: EventsFlags): Promise<FoundEvents> {
  const nowMs = displayNowMs(cli);
  const { at, for: about } = flags;
  const namespace = flags.allNamespaces ? undefined : flags.namespace || DEFAULT_NAMESPACE;
  const subject = about === undefined ? undefined : readObject(cli, about);
  const isSaved = flags.from.length > 0;
  const isPast = !isSaved && (at !== undefined || (subject?.kind === 'Pod' && isRunName(subject.name)));
  if (!isPast) {
    const reader = isSaved ? await savedObjects(cli, flags) : openStore(cli, flags.context);
    const scope = { namespace, aboutPod: subject?.name };
    const events = reader.list<StoredEvent>('events', scope).filter(eventFilter(cli, flags));
    return { events, asOfMs: displayNowMs(cli, events) };
  }
  const store = openStore(cli, flags.context);
  if (subject !== undefined && subject.kind !== 'Pod') {
    throw usage('--at shows the events of Pods only');
  }
  const past = pastEvents(store, { pod: subject?.name, namespace }, { at, nowMs });
  return { events: past.events.filter(eventFilter(cli, { ...flags, for: undefined })), asOfMs: past.nowMs };
}

/**
 * The filter for `--for` and `--types`.
 * @throws {PodrunError} (usage) when a flag makes no sense
 */
function eventFilter(cli: Cli, { for: about, types }: EventsFlags): (event: StoredEvent) => boolean {
  const wantedTypes = types?.split(',').map(readType);
  const object = about === undefined ? undefined : readObject(cli, about);
  return ({ type = '', involvedObject }) => {
    if (wantedTypes !== undefined && !wantedTypes.includes(type.toLowerCase())) return false;
    return object === undefined || (object.kind === involvedObject.kind && object.name === involvedObject.name);
  };
}

function readType(text: string): string {
  const type = text.trim().toLowerCase();
  if (type === 'normal' || type === 'warning') return type;
  throw usage('valid --types are Normal or Warning');
}

function readObject(cli: Cli, text: string): { readonly kind: string; readonly name: string } {
  const [type = '', name = '', ...rest] = text.split('/');
  if (type === '' || name === '' || rest.length > 0) {
    throw usage('--for must be in resource/name form');
  }
  return { kind: mustFindType(type, typesIn(cli)).kind, name };
}

interface Following {
  readonly store: Store;
  readonly scope: { readonly namespace: string | undefined };
  readonly isWanted: (event: StoredEvent) => boolean;
  readonly show: (events: readonly StoredEvent[]) => void;
}

/** Prints the present events in order, then every event as it is written. */
function followEvents({ store, scope, isWanted, show }: Following): void {
  let present: StoredEvent[] | undefined = [];
  store.watch<StoredEvent>(
    'events',
    scope,
    ({ type, object }) => {
      if (type === 'DELETED' || !isWanted(object)) return;
      if (present === undefined) show([object]);
      else present.push(object);
    },
    { replay: true },
  );
  // Prints row by row, as kubectl does: the widths of later rows are unknown.
  for (const event of sortedByLastSeen(present)) show([event]);
  present = undefined;
}

interface Rendering {
  readonly flags: EventsFlags;
  readonly printer: ObjectPrinter | undefined;
  readonly nowMs: () => number;
}

function eventRenderer(cli: Cli, { flags, printer, nowMs }: Rendering): (events: readonly StoredEvent[]) => void {
  if (printer === undefined) {
    const table = new EventTablePrinter({ allNamespaces: flags.allNamespaces, noHeaders: !flags.headers });
    return (events) => cli.stdout.write(table.render(events, nowMs()));
  }
  if (flags.output === 'name') return () => undefined;
  return (events) => {
    for (const event of events) writePrinted(cli.stdout, () => printer.print(event));
  };
}
