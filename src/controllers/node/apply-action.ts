import type { StoredPod } from '../../api/index.ts';
import { setConditions } from '../../lifecycle/index.ts';
import type { ClusterNode, NodeAction } from './model.ts';
import { swapTaints } from './node-taints.ts';

/** The Node after an action, made from the object as it is stored. Actions of another type do not change it. */
export function changedNode(node: ClusterNode, action: NodeAction, wallMs: number): ClusterNode {
  if (action.type === 'taints') {
    const { taints: _, ...spec } = node.spec ?? {};
    const taints = swapTaints(node.spec?.taints ?? [], action, wallMs);
    return { ...node, spec: { ...spec, ...(taints.length > 0 && { taints }) } };
  }
  if (action.type !== 'conditions') return node;
  const known = node.status?.conditions ?? [];
  const newest = (type: string): (typeof known)[number] | undefined =>
    action.conditions.find((condition) => condition.type === type);
  const added = action.conditions.filter(({ type }) => known.every((condition) => condition.type !== type));
  const conditions = [...known.map((condition) => newest(condition.type) ?? condition), ...added];
  return { ...node, status: { ...node.status, conditions } };
}

/** The Pod after an action, made from the object as it is stored. Actions of another type do not change it. */
export function changedPod(pod: StoredPod, action: NodeAction, wallMs: number): StoredPod {
  if (action.type !== 'status') return pod;
  const { edit, phase = pod.status.phase } = action;
  const status = edit === undefined ? pod.status : setConditions(pod.status, [edit], wallMs);
  return { ...pod, status: { ...status, phase } };
}
