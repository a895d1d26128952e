import { formatTime, type NodeCondition, ownValue, type Taint } from '../../api/index.ts';
import { CORDON, PRESSURE_TAINTS } from '../../lifecycle/index.ts';
import { refOf } from '../base/actions.ts';
import type { ClusterNode, NodeAction, TaintSwap } from './model.ts';

/** Source: staging/src/k8s.io/api/core/v1/well_known_taints.go. */
const KEY = {
  notReady: 'node.kubernetes.io/not-ready',
  unreachable: 'node.kubernetes.io/unreachable',
} as const;

/** The taints because of which Pods leave a node. At most one of them is present. */
export const NOT_READY: Taint = { key: KEY.notReady, effect: 'NoExecute' };
export const UNREACHABLE: Taint = { key: KEY.unreachable, effect: 'NoExecute' };

/** The key of the NoSchedule taint of a condition and its status. Source: nodeConditionToTaintKeyStatusMap. */
const OF_CONDITION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: KEY.notReady, Unknown: KEY.unreachable },
  MemoryPressure: { True: PRESSURE_TAINTS.MemoryPressure },
  DiskPressure: { True: PRESSURE_TAINTS.DiskPressure },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
};

const MANAGED = new Set([CORDON.key, ...Object.values(OF_CONDITION).flatMap((keys) => Object.values(keys))]);

/**
 * Makes the NoSchedule taints of a node fit its conditions and its cordon. Source:
 * pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoScheduleTaintingPass.
 */
export function conditionTaints(node: ClusterNode): NodeAction[] {
  const { taints = [], unschedulable = false } = node.spec ?? {};
  const ofConditions = (node.status?.conditions ?? []).flatMap(
    ({ type, status }: NodeCondition) => ownValue(ownValue(OF_CONDITION, type), status) ?? [],
  );
  const keys = [...ofConditions, ...(unschedulable ? [CORDON.key] : [])];
  const wanted = keys.map((key): Taint => ({ key, effect: 'NoSchedule' }));
  const managed = taints.filter(({ key, effect }) => effect === 'NoSchedule' && MANAGED.has(key));
  return swapAction(node, { add: wanted, remove: managed.filter((taint) => !hasTaint(wanted, taint)) });
}

/** The action that changes taints of a node. None: it has the taints to add, and lacks the taints to remove. */
export function swapAction(node: ClusterNode, { add, remove }: TaintSwap): NodeAction[] {
  const { taints = [] } = node.spec ?? {};
  const missing = add.filter((taint) => !hasTaint(taints, taint));
  const present = remove.filter((taint) => hasTaint(taints, taint));
  return missing.length + present.length === 0
    ? []
    : [{ type: 'taints', on: refOf(node), add: missing, remove: present }];
}

/** The taints of a node after a change. New ones come last, with their time. */
export function swapTaints(taints: readonly Taint[], { add, remove }: TaintSwap, wallMs: number): Taint[] {
  const timeAdded = formatTime(wallMs);
  const kept = taints.filter((taint) => !hasTaint(remove, taint));
  return [...kept, ...add.filter((taint) => !hasTaint(kept, taint)).map((taint) => ({ ...taint, timeAdded }))];
}

/** Two taints are the same when key and effect are: Source: staging/src/k8s.io/api/core/v1/taint.go MatchTaint. */
export function hasTaint(taints: readonly Taint[], { key, effect }: Taint): boolean {
  return taints.some((taint) => taint.key === key && taint.effect === effect);
}
