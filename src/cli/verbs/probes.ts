import type { Command } from 'commander';
import { type Container, DEFAULT_NAMESPACE, EXIT, type StoredPod, usage } from '../../api/index.ts';
import { PROBE_TYPES, type ProbeAttempt, probeOf, type ProbeType } from '../../lifecycle/index.ts';
import { type DefinedProbe, ProbeAttemptTable, renderProbeJournal } from '../../print/index.ts';
import { podNotFound } from '../../apiserver/index.ts';
import {
  type FileStore,
  onGrowth,
  podOver,
  type PodSource,
  ProbeJournalReader,
  RecordedRuns,
} from '../../store/index.ts';
import { openStore } from '../base/environment.ts';
import { checkContainer, podArgument } from '../select/resource-arguments.ts';
import { isRunName } from '../select/run-names.ts';
import { outputOption } from '../select/selection-flags.ts';
import type { Cli, RunVerb } from '../base/cli.ts';

interface ProbesFlags {
  readonly container: string | undefined;
  readonly type: string | undefined;
  readonly follow: boolean;
  readonly tail: string;
  readonly namespace: string | undefined;
  readonly output: 'json' | undefined;
}

const EXAMPLES = `
Examples:
  podrun probes web                       # every attempt of every probe, and its effect
  podrun probes web --type=readiness -f   # one line for each new attempt
  podrun probes web -c app --tail=20
  podrun probes web -o json | jq 'select(.decision == "restart")'
`;

/** `podrun probes`: prints the attempts of a Pod's probes. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('probes')
    .summary('Print the attempts of probes')
    .description('Prints the probe journal of a Pod: every attempt with its result, the count and its effect.')
    .usage('(POD | pod/POD) [flags]')
    .argument('<pod>', 'the Pod')
    .option('-c, --container <name>', 'only the probes of this container')
    .option('--type <type>', 'only this type of probe: startup, liveness or readiness')
    .option('-f, --follow', 'print one line for each new attempt until the Pod ends', false)
    .option('--tail <attempts>', 'only this many of the last attempts; -1: all', '-1')
    .option('-n, --namespace <name>', 'namespace of the Pod (default: "default")')
    .addOption(outputOption<'json'>(['json']))
    .addHelpText('after', EXAMPLES)
    .action((pod: string, flags: ProbesFlags) => run((cli) => probes(cli, pod, flags)));
}

async function probes(cli: Cli, word: string, flags: ProbesFlags): Promise<number> {
  const name = podArgument(word, (plural) => `podrun runs probes of Pods only, not of ${plural}`);
  const type = typeOf(flags);
  const attemptsMax = tailOf(flags);
  const { clock } = cli;
  const store = openStore(cli);
  const namespace = flags.namespace || DEFAULT_NAMESPACE;
  const { pod, file } = probedPod(store, namespace, name);
  if (flags.container !== undefined) checkContainer(pod, flags.container);
  const wanted = definedProbes(pod).filter(
    (probe) => probe.type === (type ?? probe.type) && probe.container === (flags.container ?? probe.container),
  );
  if (wanted.length === 0) {
    cli.note(`No ${type === undefined ? '' : `${type} `}probes in ${whereOf(pod, flags)}.`);
    return EXIT.ok;
  }
  const journal = new FilteredJournal({ store, clock, pod }, file, wanted);
  const present = journal.next();
  const latest = attemptsMax === undefined ? present : present.slice(Math.max(0, present.length - attemptsMax));
  const render = rendererOf(flags, wanted);
  cli.stdout.write(render(latest));
  if (flags.follow) await journal.follow(cli, render);
  return EXIT.ok;
}

/** The Pod or a past run, and the file with its probe attempts. */
function probedPod(store: FileStore, namespace: string, name: string): { pod: StoredPod; file: string } {
  if (isRunName(name)) {
    const { pod, paths } = new RecordedRuns(store).find(namespace, name);
    return { pod, file: paths.probes };
  }
  const pod = store.get<StoredPod>('pods', namespace, name);
  if (pod === undefined) throw podNotFound(store, namespace, name);
  return { pod, file: store.paths(namespace, name).probes };
}

function whereOf({ metadata }: StoredPod, { container }: ProbesFlags): string {
  const pod = `pod ${metadata.name}`;
  return container === undefined ? pod : `container ${container} of ${pod}`;
}

function rendererOf(
  { output, follow }: ProbesFlags,
  wanted: readonly DefinedProbe[],
): (attempts: readonly ProbeAttempt[]) => string {
  if (output === 'json') return (attempts) => attempts.map((attempt) => `${JSON.stringify(attempt)}\n`).join('');
  if (!follow) return (attempts) => renderProbeJournal(wanted, attempts);
  const table = new ProbeAttemptTable();
  return (attempts) => table.render(attempts);
}

/** The probe journal of a Pod, filtered by probes. */
class FilteredJournal {
  readonly #source: PodSource;
  readonly #keys: ReadonlySet<string>;
  readonly #reader: ProbeJournalReader;

  constructor(source: PodSource, file: string, wanted: readonly DefinedProbe[]) {
    this.#source = source;
    this.#keys = new Set(wanted.map(({ container, type }) => `${container} ${type}`));
    this.#reader = new ProbeJournalReader(file);
  }

  /** Reads the attempts since the last call. */
  next(): ProbeAttempt[] {
    const attempts: ProbeAttempt[] = [];
    for (let entries = this.#reader.next(); entries.length > 0; entries = this.#reader.next()) {
      // Only podrun writes to this file, so the lines need no check.
      const news = entries as ProbeAttempt[];
      attempts.push(...news.filter(({ container, probe }) => this.#keys.has(`${container} ${probe}`)));
    }
    return attempts;
  }

  /** Prints new attempts until the Pod has ended or the reader is gone. */
  async follow(cli: Cli, render: (attempts: readonly ProbeAttempt[]) => string): Promise<void> {
    const look = (): void => {
      const text = render(this.next());
      if (text !== '') cli.stdout.write(text);
    };
    const growth = onGrowth(this.#reader, this.#source.clock, look);
    const readerGone = new Promise<void>((resolve) => cli.stdout.onReaderGone(() => resolve()));
    await Promise.race([podOver(this.#source), readerGone]);
    growth.close();
    look();
    this.#reader.close();
  }
}

/** The probes of the Pod, in the order in which its containers start. */
function definedProbes({ spec }: StoredPod): DefinedProbe[] {
  return [...(spec.initContainers ?? []), ...spec.containers].flatMap(probesIn);
}

function probesIn(container: Container): DefinedProbe[] {
  return PROBE_TYPES.flatMap((type) => {
    const probe = probeOf(container, type);
    return probe === undefined ? [] : [{ container: container.name, type, probe }];
  });
}

function typeOf({ type }: ProbesFlags): ProbeType | undefined {
  if (type === undefined) return undefined;
  const known = PROBE_TYPES.find((probeType) => probeType === type);
  if (known !== undefined) return known;
  throw usage(`valid --type are startup, liveness or readiness, not ${JSON.stringify(type)}`);
}

function tailOf({ tail }: ProbesFlags): number | undefined {
  if (!/^-?\d+$/.test(tail)) {
    throw usage(`invalid argument ${JSON.stringify(tail)} for "--tail" flag: it must be a whole number`);
  }
  const attempts = Number(tail);
  if (attempts < -1) throw usage('--tail must be greater than or equal to -1');
  return attempts === -1 ? undefined : attempts;
}
