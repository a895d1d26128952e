import { isTerminalPhase, type StoredPod } from '../../api/index.ts';
import { type ConditionEdit, DELETION_BY_POD_GC, DISRUPTION_TARGET, surplusPods } from '../../lifecycle/index.ts';
import { refOf } from '../base/actions.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
import type { ClusterNode, NodeAction, NodesInput, NodeStage } from './model.ts';

export interface CollectionMemory {
  /** The time of the next collection, by the stopwatch. */
  readonly nextMs: number;
  /** The ends of the quarantine of missing Nodes, by their names. */
  readonly missing: ReadonlyMap<string, number>;
}

export const NO_COLLECTION: CollectionMemory = { nextMs: -Infinity, missing: new Map() };

/** A Pod of a node with this taint does not end by itself. Source: k8s.io/api/core/v1, TaintNodeOutOfService. */
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/**
 * Removes Pods that no kubelet removes, once in a period: ended ones above a number, terminating ones of a node that is
 * out of service or that never had a node, and Pods whose Node is gone for some time. Source:
 * pkg/controller/podgc/gc_controller.go.
 */
export function collectPods(memory: CollectionMemory, input: NodesInput): NodeStage<CollectionMemory> {
  const { now, timing, nodes } = input;
  const nowMs = now.monotonicMs;
  if (nowMs < memory.nextMs) return { memory, actions: [] };
  const pods = input.pods();
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  const terminating = pods.filter(hasDeletionTimestamp);
  const homeless = pods.flatMap(({ spec: { nodeName } }) => (nodeName && !byName.has(nodeName) ? nodeName : []));
  const missing = new Map([...homeless.map((name) => [name, nowMs + timing.quarantineMs] as const), ...memory.missing]);
  const gone = new Set([...missing].flatMap(([name, untilMs]) => (untilMs <= nowMs && !byName.has(name) ? name : [])));
  const surplus = timing.endedPodsMax > 0 ? surplusPods(pods, timing.endedPodsMax) : [];
  const stuck = terminating.filter(({ spec }) => isOutOfService(byName.get(spec.nodeName ?? '')));
  const orphans = pods.filter(({ spec }) => gone.has(spec.nodeName ?? ''));
  const unscheduled = terminating.filter(({ spec }) => !spec.nodeName);
  const edit: ConditionEdit = { type: DISRUPTION_TARGET, status: 'True', ...DELETION_BY_POD_GC };
  const removals = new Map([
    ...[...surplus, ...stuck, ...unscheduled].map((pod) => [pod.metadata.uid, remove(pod)] as const),
    ...orphans.map((pod) => [pod.metadata.uid, remove(pod, edit)] as const),
  ]);
  return {
    memory: {
      nextMs: nowMs + timing.collectionPeriodMs,
      missing: new Map([...missing].filter(([, untilMs]) => untilMs > nowMs)),
    },
    actions: [...removals.values()].flat(),
  };
}

function isOutOfService(node: ClusterNode | undefined): boolean {
  const isReady = node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  return !isReady && (node?.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) ?? false);
}

/** A Pod that has not ended fails before it goes: no kubelet writes its last status. */
function remove(pod: StoredPod, edit?: ConditionEdit): NodeAction[] {
  const on = refOf(pod);
  const failed: NodeAction = { type: 'status', on, phase: 'Failed', ...(edit && { edit }) };
  return [...(isTerminalPhase(pod.status.phase) ? [] : [failed]), { type: 'delete', on, graceSeconds: 0 }];
}
