import { earliest } from '../base/pod-state.ts';
import { collectPods, type CollectionMemory, NO_COLLECTION } from './collect-pods.ts';
import type { NodesInput, NodeStage } from './model.ts';
import { type HealthMemory, healthTimes, monitorNodes, NO_HEALTH, taintLostNodes } from './node-health.ts';
import { conditionTaints } from './node-taints.ts';

/** The memory of the controllers of nodes from one stage to the next. */
export interface NodesMemory {
  readonly health: HealthMemory;
  readonly collection: CollectionMemory;
}

export const NO_NODES_MEMORY: NodesMemory = { health: NO_HEALTH, collection: NO_COLLECTION };

interface NodesPlan extends NodeStage<NodesMemory> {
  /** The time of the next look if nothing happens before, by the stopwatch. */
  readonly lookAgainAtMs: number | undefined;
}

/**
 * One stage of the node lifecycle and of the garbage of Pods. The caller carries out its actions,
 * reads everything again and calls it again, until it returns none: then at the time that it asks for, and after each
 * change of a Node.
 */
export function planNodes(memory: NodesMemory, input: NodesInput): NodesPlan {
  const health = monitorNodes(memory.health, input);
  const due = { ...memory, health: health.memory };
  if (health.actions.length > 0) return { memory: due, actions: health.actions, lookAgainAtMs: undefined };
  const taints = input.nodes.flatMap(conditionTaints);
  if (taints.length > 0) return { memory: due, actions: taints, lookAgainAtMs: undefined };
  const lost = taintLostNodes(health.memory, input);
  const collection = collectPods(memory.collection, input);
  return {
    memory: { health: lost.memory, collection: collection.memory },
    actions: [...lost.actions, ...collection.actions],
    lookAgainAtMs: earliest([...healthTimes(lost.memory), collection.memory.nextMs]),
  };
}
