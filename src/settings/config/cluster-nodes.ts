import type { StoredPod, Taint } from '../../api/index.ts';
import { imageSizes, nodeInCluster, type NodeFacts } from '../../lifecycle/index.ts';
import type { Store, Subscription } from '../../store/index.ts';
import { diskOf, hasKubelet, isDeclared, kubeletState, type NodeRecord, userTaints } from './node-record.ts';
import { readNode } from './this-node.ts';

/** The settings of podrun.yaml about all nodes. */
export interface NodeSettings {
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly nodeTaints: readonly Taint[];
  readonly maxPods?: number | undefined;
  /** See NodeFacts.isOvercommitted. */
  readonly overcommits?: boolean | undefined;
  /** The networks of Pods. In a cluster, this machine's node has an address there. Undefined: this machine's. */
  readonly privateNetworks?: { readonly kind: 'cluster' | 'pod' } | undefined;
}

/**
 * The nodes of a state folder: this machine, and stored Nodes. Declared ones take the place of the machine. Beside the
 * settings of the agent, each has the labels and taints that users give the stored Node, and its cordon.
 */
export class ClusterNodes {
  readonly #store: Store;
  readonly #settings: NodeSettings;
  readonly #machine: NodeFacts;
  #all: readonly [NodeFacts, ...NodeFacts[]];

  /** @param storageDir the folder for the files of Pods */
  constructor(store: Store, storageDir: string, settings: NodeSettings) {
    const { nodeLabels: labels, nodeTaints: taints, maxPods, privateNetworks } = settings;
    this.#store = store;
    this.#settings = settings;
    const machine = readNode({ storageDir, labels, taints, maxPods });
    const [address] = machine.hostIPs;
    const isInCluster = privateNetworks?.kind === 'cluster';
    this.#machine = { ...machine, hostIPs: [isInCluster ? nodeInCluster(address) : address] };
    this.#all = this.#read();
  }

  /** At least one. */
  get all(): readonly [NodeFacts, ...NodeFacts[]] {
    return this.#all;
  }

  /** The node of this name. Undefined: there is none. */
  named(name: string | undefined): NodeFacts | undefined {
    return this.#all.find((node) => node.name === name);
  }

  /** The node of a Pod. Of a Pod without one that is known: the first node. */
  of({ spec }: Pick<StoredPod, 'spec'>): NodeFacts {
    return this.named(spec.nodeName) ?? this.#all[0];
  }

  /** Calls back after each change of a stored Node. */
  follow(onChange: () => void): Subscription {
    const watch = this.#store.watch('nodes', {}, () => {
      this.#all = this.#read();
      onChange();
    });
    this.#all = this.#read();
    return watch;
  }

  /** The name of this machine's node. Undefined: declared nodes are in its place. */
  get machine(): string | undefined {
    return this.#all[0].name === this.#machine.name ? this.#machine.name : undefined;
  }

  /** True when this machine is the only node. */
  get isMachineAlone(): boolean {
    return this.machine !== undefined && this.#all.length === 1;
  }

  #read(): readonly [NodeFacts, ...NodeFacts[]] {
    const records = this.#store.list<NodeRecord>('nodes');
    const others = records.filter(({ metadata }) => metadata.name !== this.#machine.name);
    const own = records.find(({ metadata }) => metadata.name === this.#machine.name);
    const [first, ...rest] = others.map((record) => this.#factsOf(record));
    if (first === undefined) return [this.#factsOf(own)];
    return records.some(isDeclared) ? [first, ...rest] : [this.#factsOf(own), first, ...rest];
  }

  /** @param record undefined: this machine, about which nothing is stored */
  #factsOf(record: NodeRecord | undefined): NodeFacts {
    const { metadata, spec, status } = record ?? {};
    const name = metadata?.name ?? this.#machine.name;
    const isMachine = name === this.#machine.name;
    const state = record === undefined || isMachine ? 'running' : kubeletState(record);
    const isForeign = record !== undefined && !isMachine && !hasKubelet(record);
    const [address, ...more] = isMachine ? [] : internalAddresses(status?.addresses);
    return {
      name,
      labels: {
        ...this.#machine.labels,
        'kubernetes.io/hostname': name,
        ...metadata?.labels,
        ...this.#settings.nodeLabels,
      },
      taints: [...this.#settings.nodeTaints, ...userTaints(record)],
      allocatable: isForeign ? (status?.allocatable ?? status?.capacity ?? {}) : this.#allocatable(status, isMachine),
      hostIPs: address === undefined ? this.#machine.hostIPs : [address, ...more],
      isOvercommitted: this.#settings.overcommits,
      isUnmanned: state !== 'running' && state !== 'shutdown',
      isShuttingDown: state === 'shutdown',
      images: imageSizes(status),
      disk: record && diskOf(this.#store, record),
      podCIDR: spec?.podCIDR,
      isCordoned: spec?.unschedulable === true,
    };
  }

  /** The size of the disk is read on first use: without resources of the Node, nothing is copied. */
  #allocatable({ capacity, allocatable }: NodeRecord['status'] = {}, isMachine: boolean): NodeFacts['allocatable'] {
    const machine = this.#machine.allocatable;
    if (capacity === undefined) return machine;
    return { ...machine, ...capacity, ...(!isMachine && allocatable) };
  }
}

function internalAddresses(addresses: NonNullable<NodeRecord['status']>['addresses'] = []): string[] {
  return addresses.filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
}
