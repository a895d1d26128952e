import type { Quantity, Taint } from '../../api/index.ts';
/** The facts about this machine that Pods may use, in the words of a Kubernetes node. */
export interface NodeFacts {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** The node takes no new Pods: it was cordoned. */
  readonly isCordoned?: boolean;
  /** The requests of Pods for CPU, memory and disk are recorded and not counted: `--overcommit`. */
  readonly isOvercommitted?: boolean | undefined;
  /** The resources for Pods: `cpu`, `memory`, `ephemeral-storage`, `pods`. The node has none of an absent resource. */
  readonly allocatable: Readonly<Record<string, Quantity>>;
  /** At least one. The first is `status.hostIP`. */
  readonly hostIPs: readonly [string, ...string[]];
}
