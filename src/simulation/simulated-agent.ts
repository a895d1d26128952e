import { requestDeletion, settleClaimsOf } from '../apiserver/index.ts';
import { type PodMachine, PodRun } from '../kubelet/index.ts';
import { type UsageSource, WorkloadLoop } from '../workloads/index.ts';
import {
  controllerOf,
  everyResourceType,
  isTerminalPhase,
  isWorkload,
  type KubeObject,
  type StoredClaim,
  type StoredEvent,
  type StoredPod,
  type WatchEvent,
} from '../api/index.ts';

import type { Clock } from '../clock.ts';
import type { Owned } from '../controllers/index.ts';
import { CRASH_LOOP, type EventDraft, type FoundInstance, type NodeFacts, restoredFacts } from '../lifecycle/index.ts';
import type { Runtime } from '../runtime/index.ts';
import type { Store } from '../store/index.ts';
import type { DeclaredNode } from '../settings/index.ts';
import { SimulatedCluster } from './simulated-cluster.ts';
import { SIMULATED_NODE, simulatedMachine } from './simulated-machine.ts';

/** The world of a simulated agent. */
export interface SimulatedWorld {
  readonly store: Store;
  readonly clock: Clock;
  /** The random part of the next name. */
  readonly suffix: () => string;
  readonly newUid: () => string;
  readonly runtimeOf: (pod: StoredPod) => Runtime;
  /** The containers of a Pod that an earlier agent has left. Default: none. */
  readonly foundOf?: (pod: StoredPod) => readonly FoundInstance[];
  /** The nodes, with their kubelets and controllers. Default: `SIMULATED_NODE`, which always lives. */
  readonly nodes?: readonly DeclaredNode[] | undefined;
  /** The node, as it is for a Pod. Default: `SIMULATED_NODE`. */
  readonly nodeFor?: ((pod: StoredPod) => NodeFacts) | undefined;
  /** The differences of its machine from `simulatedMachine`. */
  readonly machine?: Partial<PodMachine>;
  /** The use of Pods. Default: nothing is known. */
  readonly usage?: UsageSource | undefined;
  /** Called for each change of an object of the workloads that is no Pod. */
  readonly onObject?: (event: WatchEvent<Owned>) => void;
  readonly onEvent?: (event: WatchEvent<StoredEvent>) => void;
  /** Called after each turn of the controllers. */
  readonly onTurn?: () => void;
}

const throws = (error: Error): never => {
  throw error;
};
const doNothing = (): void => undefined;

/** The scheduler never waits for a claim: a simulated Pod has no volumes. */
const BOUND_CLAIM: StoredClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'default', name: 'any', uid: '', resourceVersion: '', creationTimestamp: '' },
  spec: {},
  status: { phase: 'Bound' },
};

/** An agent in a simulated machine: the real loop of the controllers, and the real PodRun for each Pod. */
export class SimulatedAgent {
  readonly loop: WorkloadLoop;
  readonly #world: SimulatedWorld;
  readonly #runs = new Map<string, PodRun>();
  readonly #cluster: SimulatedCluster | undefined;

  constructor(world: SimulatedWorld) {
    this.#world = world;
    const { store, clock, nodes } = world;
    this.#cluster =
      nodes &&
      new SimulatedCluster({
        ...world,
        nodes,
        claim: () => BOUND_CLAIM,
        runs: () => [...this.#runs.values()],
        runAgain: (pod) => this.run(pod, true),
        onChange: () => this.loop.nodeChanged(),
        onTrouble: throws,
      });
    this.loop = new WorkloadLoop({
      store,
      clock,
      nodes: () => this.#cluster?.nodes ?? [SIMULATED_NODE],
      timeZone: () => 'UTC',
      suffix: world.suffix,
      newUid: world.newUid,
      claim: () => doNothing,
      runsPod: (uid) => this.#runs.has(uid),
      startPod: (object: KubeObject) => {
        const pod = store.create('pods', object) as unknown as StoredPod;
        this.run(pod);
        return pod;
      },
      deletePod: (pod, propagation) => requestDeletion(store, clock, pod, { propagation, isOwned: true }),
      onObject: world.onObject ?? doNothing,
      onEvent: world.onEvent ?? doNothing,
      onTurn: world.onTurn ?? doNothing,
      onTrouble: throws,
      usage: world.usage,
    });
  }

  /** Resumes from the stored state, and from the containers that still run. */
  takeOver(): void {
    const { store } = this.#world;
    for (const pod of store.list<StoredPod>('pods')) if (!isTerminalPhase(pod.status.phase)) this.run(pod);
    for (const { metadata } of store.list<Owned>('services')) this.loop.followServices(metadata.namespace);
    const workloads = everyResourceType()
      .flatMap(({ plural }) => store.list<Owned>(plural))
      .filter(isWorkload);
    const uids = new Set(workloads.map(({ metadata }) => metadata.uid));
    for (const workload of workloads) {
      if (!uids.has(controllerOf(workload)?.uid ?? '')) this.loop.add(workload, doNothing);
    }
  }

  /** Records an event of a Pod. */
  tell(uid: string, event: EventDraft): void {
    const run = this.#runs.get(uid);
    run?.events(run.pod, [event]);
  }

  /** Stops the controllers, and asks all Pods to end. */
  stop(): void {
    this.loop.stop();
    for (const run of this.#runs.values()) run.terminate({ force: false });
  }

  /** True when no Pod runs any more. */
  get hasStopped(): boolean {
    return [...this.#runs.values()].every(({ state }) => state === 'over');
  }

  /** Gives up the workloads, after the end of all Pods. */
  close(): void {
    this.loop.close();
    for (const run of this.#runs.values()) run.close();
  }

  /** The nodes of this world. Undefined: there is `SIMULATED_NODE`. */
  get cluster(): SimulatedCluster | undefined {
    return this.#cluster;
  }

  /**
   * Runs a stored Pod.
   * @param isNodeNew true: it was killed with its node, which is back
   */
  run(pod: StoredPod, isNodeNew = false): void {
    const { store, clock, runtimeOf, foundOf, nodeFor, onEvent = doNothing } = this.#world;
    const isPlaced = pod.spec.nodeName !== undefined;
    const run = new PodRun({
      pod,
      restoration: isPlaced ? restoredFacts(pod, foundOf?.(pod) ?? [], clock.now(), isNodeNew) : undefined,
      onRecordLost: doNothing,
      store,
      clock,
      runtime: runtimeOf(pod),
      agent: {
        config: () => ({ crashLoop: CRASH_LOOP, images: { containers: {}, volumes: {} } }),
        notices: () => [],
        schedulerFacts: () => ({
          nodes: [nodeFor?.(pod) ?? SIMULATED_NODE],
          placed: [],
          objects: { claim: () => BOUND_CLAIM },
        }),
        nodeOf: () => SIMULATED_NODE,
        alone: (step) => step(),
        preempt: (_victims, _by, publish) => publish(),
        placed: doNothing,
        changed: (changed) => changed.begin(),
        recorded: doNothing,
        over: (ended) => settleClaimsOf(store, ended.pod),
        ...this.#cluster?.parts,
        removed: (ended) => {
          this.#runs.delete(ended.pod.metadata.uid);
          ended.close();
        },
      },
      machine: simulatedMachine(this.#world.machine),
      onEvent,
      onTrouble: throws,
    });
    this.#runs.set(pod.metadata.uid, run);
    if (this.#cluster === undefined) run.begin();
    else this.#cluster.run(run);
  }
}
