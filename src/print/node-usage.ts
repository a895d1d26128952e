import { type Node, parseQuantity, quantityMilliValue, quantityValue } from '../api/index.ts';
import { amountCells } from './pod-usage.ts';
import { renderRows } from './text/table-row.ts';
import { TABLE_LAYOUT, TabWriter } from './text/tab-writer.ts';

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
export function renderNodeUsage({ node, ...usage }: NodeUsage, { headers }: { readonly headers: boolean }): string {
  const { cpu = '0', memory = '0' } = node.status?.allocatable ?? {};
  const [cpuCell = '', memoryCell = ''] = amountCells(usage);
  const cpuShare = percent(usage.cpuMillis, quantityMilliValue(parseQuantity(cpu)));
  const memoryShare = percent(usage.memoryBytes, quantityValue(parseQuantity(memory)));
  const row = [node.metadata?.name ?? '', cpuCell, cpuShare, memoryCell, memoryShare];
  const rows = headers ? [['NAME', 'CPU(cores)', 'CPU(%)', 'MEMORY(bytes)', 'MEMORY(%)'], row] : [row];
  // kubectl ends every cell with a tab, even the last one of a line.
  return new TabWriter(TABLE_LAYOUT).render(renderRows(rows.map((cells) => [...cells, ''])));
}

function percent(used: number, available: bigint): string {
  return `${available === 0n ? 0 : Math.trunc((used / Number(available)) * 100)}%`;
}
