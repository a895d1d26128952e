import { PodrunError, type StoredPod } from '../api/index.ts';
import { reportTrouble } from '../defects.ts';
import {
  type EvictionSettings,
  type NodeFacts,
  type NodePressure,
  nodePressureTaints,
  type StorageMeasures,
  type StorageUsage,
} from '../lifecycle/index.ts';
import type { ClusterNodes } from '../settings/index.ts';
import type { Subscription } from '../store/index.ts';
import type { EventRecorderOptions } from '../apiserver/index.ts';
import type { LiveRuns } from './live-runs.ts';
import type { AgentResources } from './machine.ts';
import { Kubelets } from './nodes/kubelets.ts';
import type { PodRun } from './pod-run.ts';
import { type EvictionWatch, watchMachine } from './usage/eviction-watch.ts';
import { NodeReport } from './usage/node-report.ts';
import { TaintEvictions } from './usage/taint-evictions.ts';

interface NodeFollowerOptions extends Pick<AgentResources, 'store' | 'clock' | 'settings' | 'onTrouble'> {
  readonly nodes: ClusterNodes;
  /** All runs of the agent, by resolved uid of the Pod. */
  readonly runs: ReadonlyMap<string, PodRun>;
  readonly live: LiveRuns;
  /** Runs a Pod again whose node has crashed. The run before is closed. */
  readonly runAgain: (pod: StoredPod, crashed: Promise<unknown> | undefined) => void;
  readonly deletePod: (pod: StoredPod, graceSeconds: number | undefined) => void;
  readonly measureStorage: (pod: StoredPod, wanted: StorageMeasures) => Promise<StorageUsage>;
  readonly onEvent: EventRecorderOptions['onEvent'];
}

/** Follows the nodes of an agent: runs their kubelets, evicts Pods from them, and tells the scheduler of changes. */
export class NodeFollower {
  readonly #options: NodeFollowerOptions;
  readonly #kubelets: Kubelets<PodRun>;
  readonly #taintEvictions: TaintEvictions;
  /** Undefined: no thresholds are set. */
  readonly #evictions: EvictionWatch | undefined;
  /** Undefined: no node is followed yet. */
  #watch: Subscription | undefined;
  readonly #listeners: (() => void)[] = [];

  constructor(options: NodeFollowerOptions) {
    const { settings, nodes, live } = options;
    this.#options = options;
    this.#taintEvictions = new TaintEvictions({
      ...options,
      nodes: () => nodes.all,
      pods: () => live.placedBeside(undefined),
      onTrouble: (error) => reportTrouble(error, options.onTrouble),
    });
    this.#kubelets = this.#openKubelets();
    this.#evictions = settings.eviction && this.#watchEvictions(settings.eviction);
  }

  /** The lack of memory or disk space of this machine, now or a short time ago. Undefined: no thresholds are set. */
  get pressure(): readonly NodePressure[] | undefined {
    return this.#evictions?.conditions;
  }

  /** Calls back after each change of a node's labels, taints and cordon. */
  onChange(listener: () => void): void {
    this.follow();
    this.#listeners.push(listener);
  }

  /** Tells the scheduler of each change of a node from now on, and evicts Pods that do not tolerate its taints. */
  follow(): void {
    if (this.#watch !== undefined) return;
    this.#watch = this.#options.nodes.follow(() => {
      this.#kubelets.look();
      this.#tellScheduler();
      this.#taintEvictions.look();
      for (const listener of this.#listeners) listener();
    });
    this.#kubelets.look();
    this.#tellScheduler();
  }

  /** Called when a Pod begins to run, or waits to. */
  podBegan(): void {
    this.#taintEvictions.look();
  }

  podOver(pod: StoredPod): void {
    this.#kubelets.podOver(pod);
    this.#taintEvictions.look();
  }

  close(): void {
    this.#evictions?.close();
    this.#taintEvictions.close();
    this.#kubelets.close();
    this.#watch?.close();
  }

  #tellScheduler(): void {
    const { nodes, live } = this.#options;
    const taints = nodePressureTaints(this.pressure ?? []);
    live.setNodes(nodes.all.map((node) => ({ ...node, taints: [...node.taints, ...taints] })));
  }

  #openKubelets(): Kubelets<PodRun> {
    const { store, settings, runs, live, runAgain, onTrouble } = this.#options;
    return new Kubelets({
      ...this.#options,
      isInCluster: settings.privateNetworks?.kind === 'cluster',
      runsOn: (name) => [...runs.values()].filter(({ pod, state }) => pod.spec.nodeName === name && state !== 'over'),
      isOwned: ({ metadata: { namespace, name } }) => store.owners.isOwned(namespace, name),
      runAgain: (run, pod) => {
        run.close();
        runAgain(pod, run.crashed);
        // Not before: a Pod that waits would take its room.
        live.remove(run);
      },
      onTrouble: (text) => onTrouble(new PodrunError('Disk', text)),
    });
  }

  #watchEvictions(settings: EvictionSettings): EvictionWatch {
    const { nodes, runs, live } = this.#options;
    const reportAt = ({ name: nodeName }: NodeFacts): NodeReport => new NodeReport({ ...this.#options, nodeName });
    return watchMachine({
      ...this.#options,
      settings,
      pods: () => live.placedBeside(undefined),
      evict: (pod, eviction) => runs.get(pod.metadata.uid)?.worker?.evict(eviction),
      report: (seen) => {
        // A silent kubelet tells nothing, and a Node of a client has none.
        for (const node of nodes.all) if (node.isUnmanned !== true) reportAt(node).pressure(seen);
        if (seen.isChanged) this.#tellScheduler();
      },
    });
  }
}
