import { compareText, type Node, parseQuantity, quantityMilliValue, quantityValue } from '../api/index.ts';
import { renderRows, TABLE_LAYOUT, TabWriter } from './text/tab-writer.ts';

/** The current usage of a container. */
interface ContainerUsage {
  readonly name: string;
  /** CPU usage in thousandths of a CPU. */
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/** The running containers of a Pod. */
export interface PodUsage {
  readonly namespace: string;
  readonly name: string;
  readonly containers: readonly ContainerUsage[];
}

/** The flags of `top pod` that concern its table. */
export interface UsageTableOptions {
  /** Adds a line for each container. */
  readonly byContainer: boolean;
  readonly allNamespaces: boolean;
  readonly headers: boolean;
  /** Sorts by usage, the largest first. Undefined: by name. */
  readonly sortBy: 'cpu' | 'memory' | undefined;
  /** Adds the total below. */
  readonly sum: boolean;
}

type Amounts = Omit<ContainerUsage, 'name'>;

const MEBIBYTE = 1024 * 1024;
const RULE = '________';

/**
 * The table of `kubectl top pod`. Empty for an empty list.
 * Source: staging/src/k8s.io/kubectl/pkg/metricsutil/metrics_printer.go PrintPodMetrics.
 */
export function renderPodUsage(pods: readonly PodUsage[], options: UsageTableOptions): string {
  if (pods.length === 0) return '';
  const { byContainer, allNamespaces, headers, sortBy, sum } = options;
  const byKey = (a: PodUsage, b: PodUsage): number =>
    (allNamespaces ? compareText(a.namespace, b.namespace) : 0) || compareText(a.name, b.name);
  const sorted = pods.toSorted((a, b) => byAmount(totalOf(a.containers), totalOf(b.containers), sortBy) || byKey(a, b));
  const lines = sorted.flatMap(({ namespace, name, containers }) => {
    const namespaceCells = allNamespaces ? [namespace] : [];
    if (!byContainer) return [[...namespaceCells, name, ...amountCells(totalOf(containers))]];
    return containers
      .toSorted((a, b) => byAmount(a, b, sortBy) || compareText(a.name, b.name))
      .map((container) => [...namespaceCells, name, container.name, ...amountCells(container)]);
  });
  const headings = [
    ...(allNamespaces ? ['NAMESPACE'] : []),
    ...(byContainer ? ['POD'] : []),
    'NAME',
    'CPU(cores)',
    'MEMORY(bytes)',
  ];
  const blanks = headings.slice(2).map(() => '');
  const total = totalOf(pods.flatMap(({ containers }) => containers));
  const rows = [
    ...(headers ? [headings] : []),
    ...lines,
    ...(sum ? [RULE, undefined].map((rule) => [...blanks, ...(rule ? [rule, rule] : amountCells(total))]) : []),
  ];
  // kubectl ends every cell with a tab, even the last one of a line.
  return new TabWriter(TABLE_LAYOUT).render(renderRows(rows.map((row) => [...row, ''])));
}

/** The cells of CPU and memory. */
function amountCells({ cpuMillis, memoryBytes }: Amounts): string[] {
  // Rounds up to the next thousandth, like a quantity. The tolerance ignores floating-point errors.
  return [`${Math.ceil(cpuMillis - 1e-6)}m`, `${Math.floor(memoryBytes / MEBIBYTE)}Mi`];
}

function totalOf(containers: readonly Amounts[]): Amounts {
  return {
    cpuMillis: containers.reduce((sum, { cpuMillis }) => sum + cpuMillis, 0),
    memoryBytes: containers.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  };
}

function byAmount(a: Amounts, b: Amounts, sortBy: UsageTableOptions['sortBy']): number {
  if (sortBy === undefined) return 0;
  return sortBy === 'cpu' ? b.cpuMillis - a.cpuMillis : b.memoryBytes - a.memoryBytes;
}

/** The current usage of a node. */
export interface NodeUsage {
  readonly node: Node;
  /** CPU usage in thousandths of a CPU. */
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/**
 * The table of `kubectl top node`. Percentages refer to what is allocatable.
 * Source: staging/src/k8s.io/kubectl/pkg/metricsutil/metrics_printer.go PrintNodeMetrics.
 */
export function renderNodeUsage(usages: readonly NodeUsage[], { headers }: { readonly headers: boolean }): string {
  const rows = usages.map(({ node, ...usage }) => {
    const { cpu = '0', memory = '0' } = node.status?.allocatable ?? {};
    const [cpuCell = '', memoryCell = ''] = amountCells(usage);
    const cpuShare = percent(usage.cpuMillis, quantityMilliValue(parseQuantity(cpu)));
    const memoryShare = percent(usage.memoryBytes, quantityValue(parseQuantity(memory)));
    return [node.metadata?.name ?? '', cpuCell, cpuShare, memoryCell, memoryShare];
  });
  const all = headers ? [['NAME', 'CPU(cores)', 'CPU(%)', 'MEMORY(bytes)', 'MEMORY(%)'], ...rows] : rows;
  // kubectl ends every cell with a tab, even the last one of a line.
  return new TabWriter(TABLE_LAYOUT).render(renderRows(all.map((cells) => [...cells, ''])));
}

function percent(used: number, available: bigint): string {
  return `${available === 0n ? 0 : Math.trunc((used / Number(available)) * 100)}%`;
}
