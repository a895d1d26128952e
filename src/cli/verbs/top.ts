import { type Command, Option } from 'commander';
import { EXIT, formatGoDuration, noSuchObject, PodrunError, type StoredPod, usage } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { type NodeUsage, type PodUsage, renderNodeUsage, renderPodUsage } from '../../print/index.ts';
import { type ObjectRef, similarName, withClusterObjects } from '../../apiserver/index.ts';
import { measureNodes, measurePods } from '../../kubelet/index.ts';
import type { FileStore } from '../../store/index.ts';
import { displayNowMs, openStore } from '../base/environment.ts';
import { reportErrors } from '../base/report-error.ts';
import { findObjects, noneFound } from '../select/find-objects.ts';
import { readSelection, type Selection } from '../select/selection.ts';
import type { Cli, RunVerb } from '../base/cli.ts';

interface TopFlags {
  readonly containers: boolean;
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly selector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly sortBy: 'cpu' | 'memory' | undefined;
  readonly headers: boolean;
  readonly sum: boolean;
}

const EXAMPLES = `
Examples:
  podrun top pod
  podrun top pod web --containers
  podrun top pod -A --sort-by=memory --sum
  podrun top node                   # this machine, or each node
`;

/** `podrun top`: measures CPU and memory of Pods, or of nodes. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('top')
    .summary('Show the CPU and memory use of Pods or of nodes')
    .description('Measures the CPU and memory use of Pods or of nodes for half a second.')
    .usage('pod|node [NAME | -l QUERY] [flags]')
    .argument('<type>', 'pod or node')
    .argument('[name...]', 'the Pod or node (default: all running Pods, or the node)')
    .option('--containers', 'print a line for each container', false)
    .option('-n, --namespace <name>', 'namespace of the Pods (default: "default")')
    .option('-A, --all-namespaces', 'the Pods of all namespaces', false)
    .option('-l, --selector <query>', "only Pods with these labels, for example app=web,tier!=db or 'app in (a,b)'")
    .option('--field-selector <query>', 'only Pods with these fields, for example spec.restartPolicy=Always')
    .addOption(new Option('--sort-by <column>', 'sort by this column, the largest first').choices(['cpu', 'memory']))
    .option('--no-headers', 'print no headings')
    .option('--sum', 'print the total of all Pods at the end', false)
    .addHelpText('after', EXAMPLES)
    .action((type: string, names: string[], flags: TopFlags) => run((cli) => top(cli, [type, ...names], flags)));
}

async function top(cli: Cli, words: readonly string[], flags: TopFlags): Promise<number> {
  const selection = await readSelection(cli, 'top', words, { ...flags, filename: [], recursive: false });
  const types = selection.how === 'listed' ? selection.types : selection.refs.map(({ type }) => type);
  if (types.every(({ kind }) => kind === 'Node')) return topNode(cli, selection, flags);
  const other = types.find(({ kind }) => kind !== 'Pod');
  if (other !== undefined) {
    throw usage(`podrun top shows Pods or nodes, not ${other.plural}`);
  }
  const { clock } = cli;
  const store = openStore(cli);
  const { groups, missing } = findObjects(store, selection);
  const pods = groups.flatMap(({ objects }) =>
    objects.flatMap(({ metadata }) => store.get<StoredPod>('pods', metadata.namespace, metadata.name) ?? []),
  );
  const usages = await usagesOf(store, clock, pods);
  const table = { ...flags, byContainer: flags.containers };
  cli.stdout.write(renderPodUsage(usages, table));
  if (selection.how === 'named') {
    const measured = new Set(usages.map(({ name }) => name));
    const silent = [...missing, ...pods.map(({ metadata }) => metadata)].filter(({ name }) => !measured.has(name));
    const errors = silent.map((pod) => noMetrics(store, pod));
    return reportErrors(cli.stderr, errors);
  }
  if (usages.length > 0) return EXIT.ok;
  if (pods.length > 0) throw noneMeasured(pods, displayNowMs(cli));
  cli.note(noneFound(selection));
  return EXIT.ok;
}

/** Measures nodes: this machine, or the Pods of each declared node. */
async function topNode(cli: Cli, selection: Selection, flags: TopFlags): Promise<number> {
  const store = openStore(cli);
  const reader = withClusterObjects(store, { stateDir: store.root, nowMs: displayNowMs(cli) });
  const { groups, missing } = findObjects(reader, selection);
  const nodes = groups.flatMap(({ objects }) => objects);
  if (nodes.length > 0) {
    const measured = await measureNodes({ store, clock: cli.clock }, nodes);
    const usages = nodes.flatMap((node): NodeUsage[] => {
      const usage = measured.get(node.metadata.name);
      return usage === undefined ? [] : [{ node, ...usage }];
    });
    cli.stdout.write(renderNodeUsage(usages, flags));
  } else if (missing.length === 0) throw new PodrunError('NotFound', 'metrics not available yet');
  const errors = missing.map(({ name }) => noSuchObject('nodes.metrics.k8s.io', name));
  return reportErrors(cli.stderr, errors);
}

/** Measures the Pods that have running processes. */
async function usagesOf(store: FileStore, clock: Clock, pods: readonly StoredPod[]): Promise<PodUsage[]> {
  const measured = await measurePods({ store, clock }, pods);
  return measured.flatMap(({ pod: { metadata }, byContainer }) => {
    const containers = [...byContainer].map(([name, usage]) => ({ name, ...usage }));
    return containers.length === 0 ? [] : [{ namespace: metadata.namespace, name: metadata.name, containers }];
  });
}

/** The error of the metrics server about a Pod without metrics. */
function noMetrics(store: FileStore, ref: Pick<ObjectRef, 'namespace' | 'name'>): PodrunError {
  return noSuchObject('pods.metrics.k8s.io', ref.name, similarName(store, 'pods', ref));
}

/** The age up to which kubectl expects that the metrics of a Pod come later. */
const METRICS_DELAY_MS = 120_000;

/** The error when no Pod has metrics. Source: staging/src/k8s.io/kubectl/pkg/cmd/top/top_pod.go verifyEmptyMetrics. */
function noneMeasured(pods: readonly StoredPod[], nowMs: number): PodrunError {
  for (const { metadata } of pods) {
    const ageMs = nowMs - Date.parse(metadata.creationTimestamp);
    if (ageMs <= METRICS_DELAY_MS) continue;
    const { namespace, name } = metadata;
    return new PodrunError(
      'NotFound',
      `Metrics not available for pod ${namespace}/${name}, age: ${formatGoDuration(ageMs)}`,
    );
  }
  return new PodrunError('NotFound', 'metrics not available yet');
}
