import { randomUUID } from 'node:crypto';
import {
  DEFAULT_NAMESPACE,
  isTerminalPhase,
  resolvedUid,
  type StoredEvent,
  type StoredPod,
  type WatchEvent,
} from '../../api/index.ts';
import {
  EventRecorder,
  nodeAddresses,
  NodeHeartbeat,
  nodeOfKubelet,
  registeredByKubelet,
  removeLeaseOf,
} from '../../apiserver/index.ts';
import type { Clock } from '../../clock.ts';
import { NODE_SHUTDOWN, type NodeEviction, nodeIsNotReady, nodeRebooted, priorityOf } from '../../lifecycle/index.ts';
import {
  crashCount,
  hasKubelet,
  type KubeletState,
  kubeletState,
  type NodeRecord,
  reportShutdown,
  setKubeletState,
  shutdownSeconds,
} from '../../settings/index.ts';
import type { Store } from '../../store/index.ts';

/** The run of a Pod, as the kubelet of its node sees it. */
interface NodeRun {
  readonly pod: StoredPod;
  readonly worker: { evict(eviction: NodeEviction): void } | undefined;
  /** Undefined for a Pod that was not killed with the node. */
  readonly crashed: Promise<unknown> | undefined;
  cutOff(isCrash: boolean): void;
  reconnect(): void;
}

interface KubeletsOptions<Run extends NodeRun> {
  readonly store: Store;
  readonly clock: Clock;
  /** True when Pods are in a cluster network. */
  readonly isInCluster: boolean;
  /** Default: a random one. */
  readonly newBootId?: (() => string) | undefined;
  /** The runs of the Pods of a node that are not over. */
  readonly runsOn: (nodeName: string) => readonly Run[];
  /** True for a Pod that a process runs: this one, or another. */
  readonly isOwned: (pod: StoredPod) => boolean;
  /** Runs a Pod again of which nothing is left but its record: its node has crashed. */
  readonly runAgain: (run: Run, pod: StoredPod) => void;
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
  /** Called with a sentence when a record could not be written. */
  readonly onTrouble: (text: string) => void;
}

/** A kubelet, as this agent last saw its node. */
interface Kubelet {
  readonly name: string;
  state: KubeletState;
  /** The crashes of the node that the agent knows. */
  crashes: number;
  heartbeat: NodeHeartbeat | undefined;
}

/** Critical Pods end last. Source: pkg/apis/scheduling/types.go SystemCriticalPriority. */
const CRITICAL = 2_000_000_000;

/**
 * The kubelets of stored Nodes: each registers its Node, says that it lives, and falls silent, crashes and comes back
 * as the Node asks for. This machine's node needs none.
 */
export class Kubelets<Run extends NodeRun> {
  readonly #options: KubeletsOptions<Run>;
  /** By uid of the Node. */
  readonly #kubelets = new Map<string, Kubelet>();

  constructor(options: KubeletsOptions<Run>) {
    this.#options = options;
  }

  /** Starts, changes and ends kubelets: called at the start, and after each change of a Node. */
  look(): void {
    const nodes = this.#options.store.list<NodeRecord>('nodes').filter(hasKubelet);
    const uids = new Set(nodes.map(({ metadata }) => metadata.uid));
    for (const [uid, { heartbeat }] of this.#kubelets) {
      if (uids.has(uid)) continue;
      heartbeat?.close();
      this.#kubelets.delete(uid);
      removeLeaseOf(this.#options.store, uid);
    }
    for (const node of nodes) this.#lookAt(node);
  }

  /** Called when a Pod has ended: a node that shuts down may wait for that. */
  podOver({ spec }: StoredPod): void {
    const kubelet = [...this.#kubelets.values()].find(({ name }) => name === spec.nodeName);
    if (kubelet?.state === 'shutdown') this.#shutDown(kubelet);
  }

  close(): void {
    for (const { heartbeat } of this.#kubelets.values()) heartbeat?.close();
    this.#kubelets.clear();
  }

  #lookAt(node: NodeRecord): void {
    const { uid, name } = node.metadata;
    const state = kubeletState(node) ?? 'running';
    const crashes = crashCount(node);
    const known = this.#kubelets.get(uid);
    if (known?.state === state && known.crashes === crashes) return;
    const kubelet = known ?? { name, state, crashes, heartbeat: undefined };
    const hasMissed = crashes > kubelet.crashes && state !== 'crashed' && kubelet.state !== 'crashed';
    const before = hasMissed ? 'crashed' : known?.state;
    kubelet.crashes = crashes;
    if (hasMissed) this.#stop(kubelet, true);
    // The writes below call for another look.
    kubelet.state = state;
    this.#kubelets.set(uid, kubelet);
    if (before === undefined) this.#register(node);
    if (state === 'running') return this.#run(kubelet, before);
    if (state === 'shutdown') return this.#shutDown(kubelet);
    this.#stop(kubelet, state === 'crashed');
  }

  #run(kubelet: Kubelet, before: KubeletState | undefined): void {
    const { store, clock, runsOn, onTrouble } = this.#options;
    const { name } = kubelet;
    const runs = runsOn(name);
    if (before === 'crashed') this.#reboot(name);
    kubelet.heartbeat?.close();
    const isReturn = before === 'silent' || before === 'shutdown';
    kubelet.heartbeat = new NodeHeartbeat(name, { store, clock, report: onTrouble, isControlled: true }, isReturn);
    for (const run of runs) this.#resume(run);
  }

  #resume(run: Run): void {
    const { namespace, name, uid } = run.pod.metadata;
    const pod = run.crashed ? this.#options.store.get<StoredPod>('pods', namespace, name) : undefined;
    if (pod === undefined || resolvedUid(pod) !== uid) run.reconnect();
    else this.#options.runAgain(run, pod);
  }

  #stop(kubelet: Kubelet, isCrash: boolean): void {
    kubelet.heartbeat?.close();
    for (const run of this.#options.runsOn(kubelet.name)) run.cutOff(isCrash);
  }

  /** Ends the Pods of the node, critical ones last, then the node. Source: nodeshutdown_manager.go. */
  #shutDown({ name, heartbeat }: Kubelet): void {
    const { store, clock, runsOn } = this.#options;
    heartbeat?.shutDown();
    const node = store.get<NodeRecord>('nodes', DEFAULT_NAMESPACE, name);
    if (node === undefined) return;
    const isNew = node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
    if (isNew) {
      reportShutdown(store, clock, name);
      this.#recorder(name).record(nodeOfKubelet(name), [nodeIsNotReady(name)]);
    }
    const runs = runsOn(name).filter(({ worker }) => worker !== undefined);
    const usual = runs.filter(({ pod }) => priorityOf(pod) < CRITICAL);
    const seconds = shutdownSeconds(node);
    const ofCritical = Math.floor(seconds / 3);
    const [next, groupSeconds] = usual.length > 0 ? [usual, seconds - ofCritical] : [runs, ofCritical];
    if (next.length === 0) return this.#isEmpty(name) ? setKubeletState(store, name, 'crashed') : undefined;
    for (const { pod, worker } of next) {
      const graceSeconds = Math.min(pod.spec.terminationGracePeriodSeconds ?? groupSeconds, groupSeconds);
      worker?.evict({ ...NODE_SHUTDOWN, graceSeconds });
    }
  }

  /** True when no process runs a Pod of the node. */
  #isEmpty(nodeName: string): boolean {
    const { store, isOwned } = this.#options;
    return !store
      .list<StoredPod>('pods')
      .some((pod) => pod.spec.nodeName === nodeName && !isTerminalPhase(pod.status.phase) && isOwned(pod));
  }

  #reboot(name: string): void {
    const { store, newBootId = randomUUID } = this.#options;
    const bootID = newBootId();
    store.change<NodeRecord>('nodes', { namespace: DEFAULT_NAMESPACE, name }, 'status', ({ status, ...node }) => ({
      ...node,
      status: { ...status, ...(status?.nodeInfo && { nodeInfo: { ...status.nodeInfo, bootID } }) },
    }));
    this.#recorder(name).record(nodeOfKubelet(name), [nodeRebooted(name, bootID)]);
  }

  #register(node: NodeRecord): void {
    const { store, clock, isInCluster } = this.#options;
    const { name, creationTimestamp: since } = node.metadata;
    const key = { namespace: DEFAULT_NAMESPACE, name };
    if (node.status?.nodeInfo !== undefined) {
      // A former run may have had another network.
      store.change<NodeRecord>('nodes', key, 'status', ({ status, ...stored }) => {
        return { ...stored, status: { ...status, addresses: nodeAddresses(status?.addresses ?? [], isInCluster) } };
      });
      return;
    }
    const moment = { stateDir: store.root ?? '/', nowMs: clock.now().wallMs, since };
    const others = store.list<NodeRecord>('nodes');
    const { labels, spec, status } = registeredByKubelet(node, others, isInCluster, moment);
    store.change<NodeRecord>('nodes', key, 'object', ({ metadata, ...stored }) => {
      return { ...stored, metadata: { ...metadata, labels }, spec };
    });
    store.change<NodeRecord>('nodes', key, 'status', (stored) => ({ ...stored, status }));
  }

  #recorder(nodeName: string): EventRecorder {
    const { store, clock, onEvent } = this.#options;
    return new EventRecorder({ store, clock, nodeName, onEvent });
  }
}
