import type { StoredPod } from '../../api/index.ts';
import type { NodeFacts } from '../../lifecycle/index.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
import { isAvailable } from '../base/pod-state.ts';
import type { PodsInput, StoredDaemonSet, StoredRevision } from '../base/reconcile.ts';
import { isUpdated, type NodeFit, nodeFit, targetNode } from './daemon-pod.ts';

/** Beside Pods: the revisions of the namespace, and all nodes. */
export interface DaemonSetInput extends PodsInput {
  readonly revisions: readonly StoredRevision[];
  readonly nodes: readonly NodeFacts[];
  /** The last states of Pods that are gone, as far as the loop saw them: failed ones delay the deletion of the next. */
  readonly removedPods?: readonly StoredPod[] | undefined;
}

/** A node, and the Pods that are on it or for it, the oldest first. */
export interface DaemonNode {
  readonly name: string;
  readonly fit: NodeFit;
  readonly pods: readonly StoredPod[];
}

/** All that one sync reads. */
export interface DaemonView {
  readonly daemonSet: StoredDaemonSet;
  readonly nodes: readonly DaemonNode[];
  /** Pods of nodes that do not exist. */
  readonly strays: readonly StoredPod[];
  readonly hash: string;
  readonly input: DaemonSetInput;
}

/**
 * Sorts the Pods by their nodes. Source: pkg/controller/daemon/daemon_controller.go getNodesToDaemonPods.
 * @param pods Pods of the DaemonSet. Ended ones that are being deleted do not count
 */
export function viewDaemons(
  daemonSet: StoredDaemonSet,
  pods: readonly StoredPod[],
  hash: string,
  input: DaemonSetInput,
): DaemonView {
  const byNode = new Map<string | undefined, StoredPod[]>();
  for (const pod of pods.toSorted(byAge)) {
    const node = targetNode(pod);
    byNode.set(node, [...(byNode.get(node) ?? []), pod]);
  }
  const names = new Set<string | undefined>(input.nodes.map(({ name }) => name));
  return {
    daemonSet,
    nodes: input.nodes.map((node) => {
      return { name: node.name, fit: nodeFit(daemonSet, node), pods: byNode.get(node.name) ?? [] };
    }),
    strays: [...byNode].flatMap(([node, all]) => (names.has(node) ? [] : all)),
    hash,
    input,
  };
}

function byAge({ metadata: a, spec: left }: StoredPod, { metadata: b, spec: right }: StoredPod): number {
  const scheduled = Number(Boolean(right.nodeName)) - Number(Boolean(left.nodeName));
  if (scheduled !== 0) return scheduled;
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** True for a Pod that is not being deleted. */
export const isStaying = (pod: StoredPod): boolean => !hasDeletionTimestamp(pod);

/** True for a Pod of the newest template. */
export function isNewest({ daemonSet, hash }: DaemonView, { metadata }: StoredPod): boolean {
  return isUpdated(daemonSet, metadata.labels, hash);
}

/** True for a Pod that has been ready for long enough. */
export function isServing({ daemonSet, input }: DaemonView, pod: StoredPod): boolean {
  return isAvailable(pod, daemonSet.spec.minReadySeconds, input.now.wallMs);
}
