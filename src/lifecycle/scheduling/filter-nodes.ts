import type { StoredPod } from '../../api/index.ts';
import { priorityOf } from '../node/priority.ts';
import { MISFIT } from '../texts/scheduling.ts';
import type { FilterPlugin, NodeFilter, NodeMisfit } from './base/plugin.ts';
import { enoughNodes, lookingOrder } from './sample-nodes.ts';
import { type NodeState, type Snapshot, stateOf, withPods } from './base/snapshot.ts';

/** Why a node does not take a Pod. */
export interface NodeRejection extends NodeMisfit {
  /** The first plugin that rejects the node. Undefined: a plugin had named the only nodes that it would look at. */
  readonly plugin?: string;
}

/** The nodes that take a Pod, and why the rest does not. */
export interface Filtered {
  /** A plugin that rejects the Pod for all nodes. */
  readonly rejected?: { readonly plugin: string; readonly reasons: readonly string[] };
  readonly feasible: readonly NodeState[];
  readonly rejections: ReadonlyMap<string, NodeRejection>;
  /** The plugins that have rejected a node. */
  readonly plugins: readonly string[];
}

interface Filters {
  readonly plugins: readonly FilterPlugin[];
  readonly filters: ReadonlyArray<{ readonly plugin: string; readonly filter: NodeFilter }>;
  /** The only nodes to look at, and the plugins that say so. */
  readonly only: ReadonlySet<string> | undefined;
  readonly onlyBy: readonly string[];
}

/**
 * Finds nodes that can take a Pod: all of them, and enough of a large cluster. Source:
 * pkg/scheduler/schedule_one.go findNodesThatFitPod.
 * @param order the number of Pods before this one: see `lookingOrder`
 */
export function filterNodes(
  pod: StoredPod,
  snapshot: Snapshot,
  plugins: readonly FilterPlugin[],
  order: number,
): Filtered {
  const prepared = prepareFilters(pod, snapshot, plugins);
  if ('plugin' in prepared) {
    return { rejected: prepared, feasible: [], rejections: new Map(), plugins: [prepared.plugin] };
  }
  const nominated = stateOf(snapshot, pod.status.nominatedNodeName ?? '');
  if (nominated !== undefined && rejectionOf(pod, nominated, snapshot, prepared) === undefined) {
    return { feasible: [nominated], rejections: new Map(), plugins: [] };
  }
  const rejections = new Map<string, NodeRejection>();
  const feasible: NodeState[] = [];
  const enough = prepared.only === undefined ? enoughNodes(snapshot.nodes.length) : Infinity;
  for (const state of lookingOrder(snapshot.nodes, order)) {
    const rejection = rejectionOf(pod, state, snapshot, prepared);
    if (rejection !== undefined) rejections.set(state.node.name, rejection);
    else if (feasible.push(state) >= enough) break;
  }
  const rejecting = [...rejections.values()].flatMap(({ plugin }) => plugin ?? prepared.onlyBy);
  return { feasible, rejections, plugins: [...new Set(rejecting)].sort() };
}

/** Why a node would not take the Pod, were the cluster like this. Undefined: it would. */
export function misfitOn(
  nodeName: string,
  pod: StoredPod,
  snapshot: Snapshot,
  plugins: readonly FilterPlugin[],
): NodeRejection | undefined {
  const prepared = prepareFilters(pod, snapshot, plugins);
  if ('plugin' in prepared) return { ...prepared, isFinal: true };
  const state = stateOf(snapshot, nodeName);
  return state && rejectionOf(pod, state, snapshot, prepared);
}

/** Lets each plugin look at the Pod and at all nodes. The first one that rejects the Pod ends that. */
function prepareFilters(
  pod: StoredPod,
  snapshot: Snapshot,
  plugins: readonly FilterPlugin[],
): Filters | NonNullable<Filtered['rejected']> {
  const filters: { plugin: string; filter: NodeFilter }[] = [];
  const onlyBy: string[] = [];
  let only: ReadonlySet<string> | undefined;
  for (const { name: plugin, prepare } of plugins) {
    const prepared = prepare(pod, snapshot);
    if (prepared.type === 'rejects') return { plugin, reasons: prepared.reasons };
    if (prepared.type === 'passes') continue;
    filters.push({ plugin, filter: prepared.filter });
    if (prepared.only === undefined) continue;
    only = prepared.only;
    onlyBy.push(plugin);
  }
  return { plugins, filters, only, onlyBy };
}

/**
 * Asks the filters about a node: first with the Pods that are nominated for it, then without them, since a Pod may
 * also need them to be absent. Source: pkg/scheduler/framework/runtime/framework.go
 * RunFilterPluginsWithNominatedPods.
 */
function rejectionOf(
  pod: StoredPod,
  state: NodeState,
  snapshot: Snapshot,
  { plugins, filters, only, onlyBy }: Filters,
): NodeRejection | undefined {
  const { name } = state.node;
  if (only?.has(name) === false) return { reasons: [MISFIT.leftOut(onlyBy)], isFinal: true };
  const awaited = snapshot.nominated.filter(
    (other) =>
      other.status.nominatedNodeName === name &&
      other.metadata.uid !== pod.metadata.uid &&
      priorityOf(other) >= priorityOf(pod),
  );
  if (awaited.length > 0) {
    const beside = withPods({ ...snapshot, nominated: [] }, name, [...state.pods, ...awaited]);
    const rejection = misfitOn(name, pod, beside, plugins);
    if (rejection !== undefined) return rejection;
  }
  for (const { plugin, filter } of filters) {
    const rejection = filter(state);
    if (rejection !== undefined) return { ...rejection, plugin };
  }
  return undefined;
}
