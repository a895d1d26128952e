import type { Taint } from '../../api/index.ts';
import type { NodeFacts } from '../../lifecycle/index.ts';
import type { Store, Subscription } from '../../store/index.ts';
import { nodeRecord, userTaints } from './node-record.ts';
import { readNode } from './node.ts';

/** The settings of podrun.yaml about the node. */
export interface NodeSettings {
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly nodeTaints: readonly Taint[];
  readonly maxPods?: number | undefined;
}

/**
 * This machine as the node of an agent. Beside the settings of the agent, it has the labels and taints that users give
 * the stored node while the agent runs, and its cordon.
 */
export class ThisNode {
  readonly #store: Store;
  readonly #settings: NodeSettings;
  readonly #machine: NodeFacts;
  #facts: NodeFacts;

  /** @param storageDir the folder for the files of Pods */
  constructor(store: Store, storageDir: string, settings: NodeSettings) {
    const { nodeLabels: labels, nodeTaints: taints, maxPods } = settings;
    this.#store = store;
    this.#settings = settings;
    this.#machine = readNode({ storageDir, labels, taints, maxPods });
    this.#facts = this.#read();
  }

  get facts(): NodeFacts {
    return this.#facts;
  }

  /** Calls back after each change of the stored node. */
  follow(onChange: () => void): Subscription {
    const watch = this.#store.watch('nodes', {}, () => {
      this.#facts = this.#read();
      onChange();
    });
    this.#facts = this.#read();
    return watch;
  }

  #read(): NodeFacts {
    const record = nodeRecord(this.#store, this.#machine.name);
    return {
      ...this.#machine,
      labels: { ...this.#machine.labels, ...record?.metadata.labels, ...this.#settings.nodeLabels },
      taints: [...this.#settings.nodeTaints, ...userTaints(record)],
      isCordoned: record?.spec?.unschedulable === true,
    };
  }
}
