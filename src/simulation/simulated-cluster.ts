import { schedulingObjects, settleClaimsOf, requestDeletion } from '../apiserver/index.ts';
import type { Clock } from '../clock.ts';
import { type StoredClaim, type StoredEvent, type StoredPod, type WatchEvent } from '../api/index.ts';
import {
  Kubelets,
  LiveRuns,
  type PodRun,
  type PodRunAgent,
  type PreemptedPods,
  preemptVictims,
  TaintEvictions,
} from '../kubelet/index.ts';
import type { NodeFacts, SchedulerFacts } from '../lifecycle/index.ts';
import { ClusterNodes, type DeclaredNode, declareNode } from '../settings/index.ts';
import type { Store } from '../store/index.ts';
import { NodesLoop } from '../workloads/index.ts';
import { SIMULATED_NODE } from './simulated-machine.ts';

interface SimulatedClusterOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly nodes: readonly DeclaredNode[];
  readonly newUid: () => string;
  /** The claim of any name. */
  readonly claim: () => StoredClaim;
  /** The runs of all Pods. */
  readonly runs: () => readonly PodRun[];
  /** Runs a Pod again that was killed with its node. */
  readonly runAgain: (pod: StoredPod) => void;
  /** Called after each change of a node. */
  readonly onChange: () => void;
  readonly onEvent?: ((event: WatchEvent<StoredEvent>) => void) | undefined;
  readonly onTrouble: (error: Error) => void;
}

/** The nodes of a simulation: the real scheduler, kubelets and controllers of nodes, as an agent has them. */
export class SimulatedCluster {
  readonly #options: SimulatedClusterOptions;
  readonly #nodes: ClusterNodes;
  readonly #live: LiveRuns;
  readonly #kubelets: Kubelets<PodRun>;
  readonly #evictions: TaintEvictions;
  readonly #loop: NodesLoop;
  readonly #objects: Required<NonNullable<SchedulerFacts['objects']>>;
  readonly #onEvent: (event: WatchEvent<StoredEvent>) => void;

  constructor(options: SimulatedClusterOptions) {
    const { store, clock, runs, newUid, runAgain, onTrouble, onEvent = () => undefined } = options;
    this.#options = options;
    this.#onEvent = onEvent;
    for (const node of options.nodes) declareNode(store, { ...node, capacity: { ...ALIKE, ...node.capacity } });
    this.#nodes = new ClusterNodes(store, '/', { nodeLabels: {}, nodeTaints: [] });
    this.#objects = { ...schedulingObjects(store), claim: options.claim };
    this.#live = new LiveRuns(clock, this.#objects);
    const common = { store, clock, onEvent };
    const deletePod = (pod: StoredPod, graceSeconds?: number): void => this.#delete(pod, graceSeconds);
    this.#kubelets = new Kubelets({
      ...common,
      isInCluster: false,
      newBootId: newUid,
      runsOn: (name) => runs().filter(({ pod, state }) => pod.spec.nodeName === name && state !== 'over'),
      isOwned: () => false,
      runAgain: (run, pod) => {
        run.close();
        runAgain(pod);
        this.#live.remove(run);
      },
      onTrouble: (text) => onTrouble(new Error(text)),
    });
    const onError = (error: unknown): void => onTrouble(error as Error);
    this.#evictions = new TaintEvictions({
      ...common,
      nodes: () => this.#nodes.all,
      pods: () => this.#live.placedBeside(undefined),
      deletePod,
      onTrouble: onError,
    });
    this.#loop = new NodesLoop({
      ...common,
      machine: () => undefined,
      claim: () => () => undefined,
      deletePod,
      onTrouble: onError,
    });
  }

  /** Begins the kubelets and the controllers of nodes. */
  begin(): void {
    this.#nodes.follow(() => this.#look());
    this.#look();
  }

  get nodes(): readonly [NodeFacts, ...NodeFacts[]] {
    return this.#nodes.all;
  }

  /** Places a Pod and runs it. */
  run(run: PodRun): void {
    this.#live.add(run);
    this.#live.begin(run);
    this.#evictions.look();
  }

  /** The part of an agent that is about nodes, for the run of a Pod. */
  get parts(): Omit<PodRunAgent<PodRun>, 'config' | 'notices' | 'alone' | 'removed'> {
    return {
      schedulerFacts: (run) => ({
        nodes: this.#nodes.all,
        order: this.#live.orderOf(run),
        placed: this.#live.placedBeside(run),
        nominated: this.#live.nominatedBeside(run),
        objects: this.#objects,
      }),
      nodeOf: (pod) => this.#nodes.of(pod),
      preempt: (pods, by, publish) => this.#preempt(pods, by, publish),
      placed: (run) => this.#live.placed(run),
      changed: (run) => this.#live.changed(run),
      recorded: (run) => this.#live.changed(run),
      over: (run) => {
        settleClaimsOf(this.#options.store, run.pod);
        this.#live.remove(run);
        this.#kubelets.podOver(run.pod);
        this.#evictions.look();
      },
    };
  }

  #look(): void {
    this.#kubelets.look();
    this.#live.setNodes(this.#nodes.all);
    this.#evictions.look();
    this.#options.onChange();
    this.#loop.look();
  }

  #preempt({ nodeName, victims }: PreemptedPods, by: StoredPod, publish: () => void): void {
    const { store, clock, runs, onTrouble } = this.#options;
    const run = runs().find(({ pod }) => pod.metadata.uid === by.metadata.uid);
    preemptVictims(victims, by, {
      store,
      clock,
      nodeName,
      nominated: this.#live.nominatedBeside(run),
      waits: () => {
        if (run !== undefined) this.#live.nominate(run, nodeName);
        publish();
      },
      deletePod: (pod) => this.#delete(pod, undefined),
      onEvent: this.#onEvent,
      onTrouble,
    });
  }

  /** Deletes the Pod as it is now. */
  #delete({ metadata: { namespace, name, uid } }: StoredPod, graceSeconds: number | undefined): void {
    const { store, clock } = this.#options;
    const pod = store.get<StoredPod>('pods', namespace, name);
    if (pod?.metadata.uid !== uid) return;
    requestDeletion(store, clock, pod, { propagation: 'Background', isOwned: true, graceSeconds });
  }
}

/** The resources of a node that declares none. */
const ALIKE = SIMULATED_NODE.allocatable;
