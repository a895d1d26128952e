import type { StoredPod, Taint } from '../../api/index.ts';
import {
  DELETED_FOR_TAINT,
  DISRUPTION_TARGET,
  type NodeFacts,
  taintEviction,
  toleranceMs,
} from '../../lifecycle/index.ts';
import { eventAction, refOf } from '../base/actions.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
import { COMPONENT } from '../texts/pods.ts';
import type { NodeAction, NodeStage } from './model.ts';

/** The ends of tolerations, by uid of the Pod and the stopwatch. */
export type EvictionMemory = ReadonlyMap<string, number>;

interface EvictionInput {
  readonly nodes: readonly Pick<NodeFacts, 'name' | 'taints'>[];
  readonly pods: readonly StoredPod[];
  readonly nowMs: number;
}

/** The end of a Pod's toleration. Undefined: it may stay. `isCancelled`: a deletion was planned before. */
interface TolerationEnd {
  readonly atMs: number | undefined;
  readonly isCancelled: boolean;
}

/**
 * Deletes Pods that do not tolerate a NoExecute taint of their node, or not any longer. A toleration ends at the time
 * that was found first: further taints move it neither way. Source: pkg/controller/tainteviction/taint_eviction.go.
 */
export function evictByTaints(
  memory: EvictionMemory,
  { nodes, pods, nowMs }: EvictionInput,
): NodeStage<EvictionMemory> {
  const taints = new Map(nodes.map((node) => [node.name, node.taints.filter(isNoExecute)]));
  const planned = new Map<string, number>();
  const actions: NodeAction[] = [];
  for (const pod of pods) {
    const { uid } = pod.metadata;
    if (hasDeletionTimestamp(pod)) continue;
    const { atMs, isCancelled } = judge(pod, taints.get(pod.spec.nodeName ?? ''), memory.get(uid), nowMs);
    if (isCancelled) actions.push(tell(pod, 'Cancelling deletion of'));
    if (atMs === undefined) continue;
    if (atMs > nowMs) planned.set(uid, atMs);
    else actions.push(...evict(pod));
  }
  return { memory: planned, actions };
}

/** @param taints NoExecute taints of the node; undefined: the Pod has no node, or none that exists */
function judge(
  { spec }: StoredPod,
  taints: readonly Taint[] | undefined,
  plannedMs: number | undefined,
  nowMs: number,
): TolerationEnd {
  if (taints === undefined) return { atMs: plannedMs, isCancelled: false };
  const waitMs = toleranceMs(spec, taints);
  const isPlanned = plannedMs !== undefined;
  if (waitMs === Infinity) return { atMs: undefined, isCancelled: isPlanned };
  return waitMs === 0
    ? { atMs: nowMs, isCancelled: isPlanned }
    : { atMs: plannedMs ?? nowMs + waitMs, isCancelled: false };
}

function evict(pod: StoredPod): NodeAction[] {
  return [
    tell(pod, 'Marking for deletion'),
    { type: 'status', on: refOf(pod), edit: { type: DISRUPTION_TARGET, status: 'True', ...DELETED_FOR_TAINT } },
    { type: 'delete', on: refOf(pod) },
  ];
}

/** The event names the Pod without its uid, as the real controller does. */
function tell(pod: StoredPod, what: Parameters<typeof taintEviction>[0]): NodeAction {
  const event = eventAction(pod, COMPONENT.taintEviction, taintEviction(what, pod.metadata));
  return { ...event, on: { ...event.on, uid: '' } };
}

/** True for a taint because of which Pods leave. */
export const isNoExecute = ({ effect }: Taint): boolean => effect === 'NoExecute';
