import type { StoredPod } from '../../api/index.ts';
import type { Alarm } from '../../clock.ts';
import { evictByTaints, type EvictionMemory, isNoExecute } from '../../controllers/index.ts';
import type { NodeFacts } from '../../lifecycle/index.ts';
import { NodeActions, type NodeActionsOptions } from '../../apiserver/index.ts';

export interface TaintEvictionOptions extends NodeActionsOptions {
  readonly nodes: () => readonly NodeFacts[];
  /** The Pods of this agent that run: each Pod has one agent. */
  readonly pods: () => readonly StoredPod[];
}

/** Deletes the Pods of an agent that do not tolerate a NoExecute taint of their node, or not any longer. */
export class TaintEvictions {
  readonly #options: TaintEvictionOptions;
  #actions: NodeActions | undefined;
  #memory: EvictionMemory = new Map();
  #alarm: Alarm | undefined;
  #isActing = false;

  constructor(options: TaintEvictionOptions) {
    this.#options = options;
  }

  /** Looks at the Pods: again after each change of taints, and at each new Pod. */
  look(): void {
    // Its own writes lead here: the Pod is not marked as deleted yet.
    if (this.#isActing) return;
    this.#isActing = true;
    try {
      this.#act();
    } finally {
      this.#isActing = false;
    }
  }

  #act(): void {
    const { clock, pods } = this.#options;
    const nodes = this.#options.nodes();
    if (this.#memory.size === 0 && !nodes.some(({ taints }) => taints.some(isNoExecute))) return;
    const { memory, actions } = evictByTaints(this.#memory, { nodes, pods: pods(), nowMs: clock.now().monotonicMs });
    this.#memory = memory;
    this.#alarm?.cancel();
    this.#alarm = memory.size === 0 ? undefined : clock.wakeAt(Math.min(...memory.values()), () => this.look());
    this.#actions ??= new NodeActions(this.#options);
    this.#actions.carryOut(actions);
  }

  close(): void {
    this.#alarm?.cancel();
  }
}
