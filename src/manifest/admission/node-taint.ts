import type { KubeObject, Node } from '../../api/index.ts';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const;

/**
 * A new node gets no Pods before it is ready: a controller of nodes takes the taint away then.
 * Source: plugin/pkg/admission/nodetaint/admission.go.
 */
export function withNotReadyTaint<T extends KubeObject>(node: T): T {
  const { spec = {} }: Node = node;
  const { taints = [] } = spec;
  if (taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return node;
  return { ...node, spec: { ...spec, taints: [...taints, NOT_READY] } };
}
