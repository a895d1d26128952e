import { isTerminalPhase, type Node, type StoredKubeObject, type StoredPod } from '../api/index.ts';
import { requestedShares } from './describe/kinds/node.ts';
import { nodeStatus } from './table/resource-columns.ts';
import { renderRows, TABLE_LAYOUT, TabWriter } from './text/tab-writer.ts';

/** A node of the table of `podrun node`. */
export interface ListedNode {
  readonly node: StoredKubeObject & Node;
  /** The state of its kubelet: `running`, `silent`, … */
  readonly kubelet: string;
}

/** The table of `podrun node`: what each node has, and what its Pods request. */
export function nodeTable(nodes: readonly ListedNode[], pods: readonly StoredPod[]): string {
  const rows = nodes.map(({ node, kubelet }) => {
    const own = pods.filter(
      ({ spec, status }) => spec.nodeName === node.metadata.name && !isTerminalPhase(status.phase),
    );
    return [node.metadata.name, nodeStatus(node), kubelet, String(own.length), ...requestedShares(node, own)];
  });
  const headings = ['NAME', 'STATUS', 'KUBELET', 'PODS', 'CPU REQUESTS', 'MEMORY REQUESTS'];
  return new TabWriter(TABLE_LAYOUT).render(renderRows([headings, ...rows]));
}
