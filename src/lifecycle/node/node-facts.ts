import type { Quantity, Taint } from '../../api/generated/types.ts';

/** What Pods may know of the machine that they run on, in the words of a Kubernetes node. */
export interface NodeFacts {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** What Pods can share out: `cpu`, `memory`, `ephemeral-storage`, `pods`. A name that is absent is not to be had. */
  readonly allocatable: Readonly<Record<string, Quantity>>;
  /** At least one; the first one is `status.hostIP`. */
  readonly hostIPs: readonly [string, ...string[]];
}
