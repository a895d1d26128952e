import { settleClaimsOf } from '../../../src/agent/volumes/settle-volumes.ts';
import { requestDeletion } from '../../../src/agent/clean-up/request-deletion.ts';
import { PodRun } from '../../../src/agent/pod-run.ts';
import { WorkloadLoop } from '../../../src/agent/workloads/workload-loop.ts';
import { controllerOf, isTerminalPhase, type StoredPod } from '../../../src/api/objects.ts';
import { everyResourceType } from '../../../src/api/resource-types.ts';
import { isWorkload } from '../../../src/api/workloads/stored-workloads.ts';
import type { Clock } from '../../../src/clock.ts';

import type { Owned } from '../../../src/controllers/reconcile.ts';
import { CRASH_LOOP } from '../../../src/lifecycle/plan/back-off.ts';
import { restoredFacts } from '../../../src/lifecycle/restored-facts.ts';
import type { Store } from '../../../src/store/store.ts';
import { SIMULATED_NODE, simulatedMachine } from '../simulated-machine.ts';
import type { KeptContainers } from './kept-containers.ts';
import { Life } from './mortal.ts';

/** The world that outlives an agent. */
export interface AgentWorld {
  readonly store: Store;
  readonly clock: Clock;
  readonly suffix: () => string;
  readonly newUid: () => string;
  readonly containersOf: (pod: StoredPod) => KeptContainers;
  readonly onTurn: () => void;
}

const throws = (error: Error): never => {
  throw error;
};

/** An agent: the real loop of the controllers, and the real PodRun for each Pod. */
export class SimulatedAgent {
  readonly life: Life = new Life();
  readonly loop: WorkloadLoop;
  readonly #world: AgentWorld;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #runs = new Map<string, PodRun>();

  constructor(world: AgentWorld) {
    this.#world = world;
    this.#store = this.life.store(world.store);
    this.#clock = this.life.clock(world.clock);
    const [store, clock] = [this.#store, this.#clock];
    this.loop = new WorkloadLoop({
      store,
      clock,
      node: () => SIMULATED_NODE,
      timeZone: 'UTC',
      suffix: world.suffix,
      newUid: world.newUid,
      claim: () => () => undefined,
      runsPod: (uid) => this.#runs.has(uid),
      startPod: (object) => this.#run(store.create('pods', object) as unknown as StoredPod),
      deletePod: (pod, propagation) => requestDeletion(store, clock, pod, { propagation, isOwned: true }),
      onObject: () => undefined,
      onEvent: () => undefined,
      onTurn: world.onTurn,
      onTrouble: throws,
    });
  }

  /** Goes on from what is stored, and from the containers that still run. */
  takeOver(): void {
    for (const pod of this.#store.list<StoredPod>('pods')) if (!isTerminalPhase(pod.status.phase)) this.#run(pod);
    for (const { metadata } of this.#store.list<Owned>('services')) this.loop.followServices(metadata.namespace);
    const workloads = everyResourceType()
      .flatMap(({ plural }) => this.#store.list<Owned>(plural))
      .filter(isWorkload);
    const uids = new Set(workloads.map(({ metadata }) => metadata.uid));
    for (const workload of workloads) {
      if (!uids.has(controllerOf(workload)?.uid ?? '')) this.loop.add(workload, () => undefined);
    }
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
    this.life.endAfter(0);
  }

  #run(pod: StoredPod): void {
    const { uid } = pod.metadata;
    const containers = this.#world.containersOf(pod);
    const clock = this.#clock;
    const isPlaced = pod.spec.nodeName !== undefined;
    const run = new PodRun({
      pod,
      restoration: isPlaced ? restoredFacts(pod, containers.found, clock.now()) : undefined,
      onRecordLost: () => undefined,
      store: this.#store,
      clock,
      runtime: this.life.runtime(containers),
      node: SIMULATED_NODE,
      agent: {
        config: () => ({ crashLoop: CRASH_LOOP, images: { containers: {}, volumes: {} } }),
        notices: () => [],
        schedulerFacts: () => ({ node: SIMULATED_NODE, placed: [], claim: () => ({}) }),
        preempt: (_victims, _by, publish) => publish(),
        changed: () => undefined,
        over: (ended) => settleClaimsOf(this.#store, ended.pod),
        removed: () => undefined,
      },
      machine: simulatedMachine(),
      onEvent: () => undefined,
      onTrouble: throws,
    });
    this.#runs.set(uid, run);
    run.begin();
  }
}
