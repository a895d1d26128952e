import type { Quantity, Taint } from '../../api/index.ts';
/** The facts about this machine that Pods may use, in the words of a Kubernetes node. */
export interface NodeFacts {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** The node takes no new Pods: it was cordoned. */
  readonly isCordoned?: boolean;
  /** No kubelet takes Pods here: it is silent, or there is none, since a client has created the Node. */
  readonly isUnmanned?: boolean | undefined;
  /** The kubelet ends the Pods of the node, and takes none. */
  readonly isShuttingDown?: boolean | undefined;
  /** The requests of Pods for CPU, memory and disk are recorded and not counted: `--overcommit`. */
  readonly isOvercommitted?: boolean | undefined;
  /** The resources for Pods: `cpu`, `memory`, `ephemeral-storage`, `pods`. The node has none of an absent resource. */
  readonly allocatable: Readonly<Record<string, Quantity>>;
  /** The size of each image that the node has, in bytes, by name. Undefined: the scheduler does not ask. */
  readonly images?: ReadonlyMap<string, number> | undefined;
  /** The folder that is the disk of the node: each hostPath is inside. Undefined: it has the disk of the machine. */
  readonly disk?: string | undefined;
  /** The range of its Pods in a cluster network. Undefined: they have any address. */
  readonly podCIDR?: string | undefined;
  /** At least one. The first is `status.hostIP`. */
  readonly hostIPs: readonly [string, ...string[]];
}
