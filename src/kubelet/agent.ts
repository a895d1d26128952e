import {
  controllerOf,
  isTerminalPhase,
  type PodrunError,
  resolvedUid,
  type StoredEvent,
  type StoredPod,
  type WatchEvent,
} from '../api/index.ts';
import {
  type EventDraft,
  type EvictionSettings,
  type FoundInstance,
  type NodeFacts,
  type OwnRights,
  type PodActivity,
  type Restoration,
  restoredFacts,
  schedule,
  type SchedulerFacts,
  type SyncConfig,
} from '../lifecycle/index.ts';
import type { Subscription } from '../store/index.ts';
import { type ApiOfPods, type ApiPlace, type DialEndpoint, type ServiceServer } from '../network/index.ts';
import { schedulingObjects, settleClaimsOf } from '../apiserver/index.ts';
import { EvictionWatch, machineReadings, memoryUse, storageUse } from './usage/eviction-watch.ts';
import { runningContainers } from './usage/measure-pods.ts';
import { NodeReport } from './usage/node-report.ts';
import { TaintEvictions } from './usage/taint-evictions.ts';
import { UsageSampler } from './usage/usage-sampler.ts';
import { inTurn } from '../clock.ts';
import { keepAlive } from '../defects.ts';
import { nodeImages, type OnPull, podSourceRules } from '../images/index.ts';
import { LiveRuns } from './live-runs.ts';
import { Neighbours } from './usage/neighbours.ts';
import { lookAtContainers } from '../runtime/index.ts';
import { judgeImages, METRICS_INTERVAL_MS, readOwnRights, ThisNode } from '../settings/index.ts';
import { type AgentResources, Machine } from './machine.ts';
import { podNotices } from './notices.ts';
import { PodRun } from './pod-run.ts';
import type { PodRunAgent } from './pod-run-agent.ts';
import type { HowToEnd } from './pod-worker.ts';
import { preemptVictims } from './preempt.ts';
import { servicesOf } from './services.ts';

/** The settings of an agent, and the callbacks that report on its Pods. */
export interface AgentOptions extends AgentResources {
  /** Called when a Pod has ended, or was removed. */
  readonly onOver: (pod: StoredPod) => void;
  /** Called when another process removed the Pod's record from the store. The agent ends the Pod. */
  readonly onRecordLost: (pod: StoredPod) => void;
  /**
   * True: Pods that are removed are forgotten. Default: only Pods of controllers; the verdict is about all other Pods.
   */
  readonly forgetsRemoved?: boolean;
  /** Called while images are pulled. */
  readonly onPull?: OnPull;
  /** Called for each event of the Pods. */
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
}

/** podrun's kubelet: runs each Pod in a PodRun of its own. */
export class Agent implements PodRunAgent<PodRun> {
  readonly #options: AgentOptions;
  readonly #node: ThisNode;
  readonly #machine: Machine;
  /** By resolved uid of the Pod. */
  readonly #runs = new Map<string, PodRun>();
  readonly #live: LiveRuns;
  readonly #neighbours: Neighbours;
  readonly #subscriptions: Subscription[] = [];
  /** By Pod: the watch of its claims. */
  readonly #claimWatches = new Map<PodRun, Subscription>();
  #isNodeFollowed = false;
  readonly #nodeListeners: (() => void)[] = [];
  readonly #taintEvictions: TaintEvictions;
  #ownRights: OwnRights | undefined;
  readonly #alive = keepAlive();
  /** Undefined: no thresholds are set. */
  readonly #evictions: EvictionWatch | undefined;
  /** Samples the use of its containers. */
  readonly usage: UsageSampler;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#node = new ThisNode(options.store, options.store.root, options.settings);
    this.#neighbours = new Neighbours(
      { store: options.store, isOwn: (uid) => this.hasPod(uid), onFreed: () => this.#live.schedule() },
      this.node.name,
    );
    this.#live = new LiveRuns(options.clock, () => this.#neighbours.freed);
    this.#taintEvictions = new TaintEvictions({
      ...options,
      onTrouble: (error) => options.onTrouble(error as PodrunError),
    });
    this.#machine = new Machine({
      ...options,
      images: nodeImages(options),
      node: this.node,
      rights: this.#rights,
      isRemoved: ({ metadata }) => this.#runs.get(metadata.uid)?.isRemoved === true,
      isOwn: (pod) => this.#runs.has(resolvedUid(pod)),
    });
    this.usage = this.#sampler();
    const { eviction } = options.settings;
    this.#evictions = eviction && this.#watchEvictions(eviction);
  }

  /** This machine as a node, as it is now. */
  get node(): NodeFacts {
    return this.#node.facts;
  }

  /** Calls back after each change of the node's labels, taints and cordon. */
  onNodeChange(listener: () => void): void {
    this.#followNode();
    this.#nodeListeners.push(listener);
  }

  /** Begins to run a stored Pod that no other agent runs. */
  run(pod: StoredPod): void {
    this.#run(pod, undefined);
  }

  /**
   * Resumes a Pod whose former agent has ended.
   * @param instances the containers that the runtime has
   * @param isRuntimeNew see `restoredFacts`
   */
  resume(pod: StoredPod, instances: readonly FoundInstance[], isRuntimeNew: boolean): void {
    const isPlaced = pod.spec.nodeName !== undefined;
    this.#run(pod, isPlaced ? restoredFacts(pod, instances, this.#options.clock.now(), isRuntimeNew) : undefined);
  }

  #run(pod: StoredPod, restoration: Restoration | undefined): void {
    const { store } = this.#options;
    const { namespace } = pod.metadata;
    this.#followNode();
    const run = new PodRun({
      ...this.#options,
      pod,
      restoration,
      agent: this,
      node: this.#machine.networks.nodeFor(pod, this.node),
      machine: this.#machine,
    });
    this.#runs.set(resolvedUid(pod), run);
    this.#live.add(run);
    if ((pod.spec.volumes ?? []).some(({ persistentVolumeClaim: claim }) => claim !== undefined)) {
      this.#settleClaims(pod);
      this.#claimWatches.set(
        run,
        store.watch('persistentvolumeclaims', { namespace }, () => run.begin()),
      );
    }
    this.#live.begin(run);
    this.#lookAtTaints();
  }

  /** The server of Services in the network of this agent's Pods. */
  services(): ServiceServer {
    return servicesOf({ ...this.#options, networks: this.#machine.networks, nodeName: this.node.name });
  }

  /** Lets an API server listen in the networks of Pods; see PodNetworks. */
  serveApi(api: ApiOfPods): Promise<ApiPlace | undefined> {
    return this.#machine.networks.serveApi(api);
  }

  /** See PodNames. */
  clusterDns(): Promise<string | undefined> {
    return this.#machine.clusterDns();
  }

  /** See PodNetworks. */
  get hostAddress(): string | undefined {
    return this.#machine.networks.hostAddress;
  }

  /** Connects to an endpoint of a Service; see PodNetworks. */
  readonly dialEndpoint: DialEndpoint = (endpoint) => this.#machine.networks.dialEndpoint(endpoint);

  config(pod: StoredPod): SyncConfig {
    const { faults, settings, store } = this.#options;
    const { crashLoop, images } = settings;
    const verdicts = judgeImages(pod, images, podSourceRules(pod, settings, store));
    return { crashLoop, images: faults?.images(pod, verdicts) ?? verdicts };
  }

  notices(pod: StoredPod): readonly EventDraft[] {
    return podNotices(pod, { ...this.#options, store: this.#options.store.recent, rights: this.#rights });
  }

  schedulerFacts(run: PodRun): SchedulerFacts {
    const { store } = this.#options;
    const others = this.#neighbours.read();
    return {
      node: this.node,
      placed: [...this.#live.placedBeside(run), ...others.placed],
      nominated: [...this.#live.nominatedBeside(run), ...others.nominated],
      objects: schedulingObjects(store),
      pressure: this.#evictions?.conditions,
    };
  }

  /** True for a Pod that waits for room which Pods of other agents have. */
  waitsForOthers(uid: string): boolean {
    const run = this.#runs.get(uid);
    if (run?.state !== 'waiting') return false;
    const facts = { ...this.schedulerFacts(run), placed: this.#live.placedBeside(run), nominated: [] };
    return schedule(run.pod, facts).type === 'fits';
  }

  alone<T>(step: () => T): T {
    return this.#neighbours.alone(step);
  }

  /** Records an event of a Pod. */
  tell(uid: string, event: EventDraft): void {
    const run = this.#runs.get(uid);
    run?.events(run.pod, [event]);
  }

  /** Restarts containers of a Pod in place, without back-off: the files that they run have changed. */
  restart(uid: string, containers: readonly string[], isByUser?: boolean): void {
    this.#runs.get(uid)?.restart(containers, isByUser);
  }

  /** Schedules waiting Pods again after each change of the node, and evicts Pods that do not tolerate its taints. */
  #followNode(): void {
    if (this.#isNodeFollowed) return;
    this.#isNodeFollowed = true;
    const watch = this.#node.follow(() => {
      this.#live.nodeChanged();
      this.#lookAtTaints();
      for (const listener of this.#nodeListeners) listener();
    });
    this.#subscriptions.push(watch);
  }

  #lookAtTaints(): void {
    this.#taintEvictions.look(() => this.#live.placedBeside(undefined), this.node);
  }

  preempt(victims: readonly StoredPod[], by: StoredPod, publish: () => void): void {
    const waits = (): void => {
      const run = this.#runs.get(resolvedUid(by));
      if (run !== undefined) this.#live.nominate(run);
      publish();
    };
    preemptVictims(victims, by, { ...this.#options, nodeName: this.node.name, waits });
  }

  placed(run: PodRun): void {
    this.#live.placed(run);
  }

  changed(pod: StoredPod): void {
    this.#machine.podChanged(pod);
  }

  over(run: PodRun): void {
    this.#settleClaims(run.pod);
    this.#claimWatches.get(run)?.close();
    this.#claimWatches.delete(run);
    this.#live.remove(run);
    this.#lookAtTaints();
    this.#options.onOver(run.pod);
  }

  #settleClaims(pod: StoredPod): void {
    try {
      settleClaimsOf(this.#options.store, pod);
    } catch (error) {
      this.#options.onTrouble(error as PodrunError);
    }
  }

  /** Controllers and clients of a server make one Pod after the other: a long run must not remember all of them. */
  removed(run: PodRun): void {
    if (controllerOf(run.pod) === undefined && this.#options.forgetsRemoved !== true) return;
    this.#runs.delete(run.pod.metadata.uid);
    run.close();
  }

  /**
   * Ends all Pods; their records stay. With `force`, kills everything now. `graceSeconds` replaces the Pods' own grace
   * periods. The replicas of a StatefulSet end one after the other, the last one first.
   */
  terminate(how: HowToEnd): void {
    this.#live.terminate(how);
  }

  /** Ends the Pods whose objects are gone, also where no watch has reported it. */
  lookForObjects(): void {
    for (const run of this.#runs.values()) inTurn(this.#options.clock, () => run.lookForObject());
  }

  /** True for a Pod that this agent runs or has run. */
  hasPod(uid: string): boolean {
    return this.#runs.has(uid);
  }

  /** True when every Pod of this agent has ended. */
  get isOver(): boolean {
    return this.#live.isEmpty;
  }

  /** The Pods as last seen, in the order in which the agent received them. */
  get pods(): readonly StoredPod[] {
    return [...this.#runs.values()].map((run) => run.pod);
  }

  /** The next step for the Pod with this resolved uid. Undefined: nothing is planned. */
  activityOf(uid: string): PodActivity | undefined {
    return this.#runs.get(uid)?.activity;
  }

  async close(): Promise<void> {
    this.#evictions?.close();
    this.usage.close();
    this.#taintEvictions.close();
    this.#neighbours.close();
    const subscriptions = [...this.#claimWatches.values(), ...this.#subscriptions];
    for (const open of [...this.#runs.values(), ...subscriptions]) open.close();
    await this.#machine.close();
    this.#alive.close();
  }

  #sampler(): UsageSampler {
    const { store, clock, settings } = this.#options;
    return new UsageSampler({
      clock,
      intervalMs: settings.metricsIntervalMs ?? METRICS_INTERVAL_MS,
      pods: () => this.pods.filter(({ status }) => !isTerminalPhase(status.phase)),
      containersOf: (pod) => runningContainers(store, pod),
      look: lookAtContainers,
    });
  }

  #watchEvictions(settings: EvictionSettings): EvictionWatch {
    const { store, clock } = this.#options;
    const machine = this.#machine;
    const report = new NodeReport({ ...this.#options, nodeName: this.node.name });
    return new EvictionWatch({
      settings,
      clock,
      pods: () => this.#live.placedBeside(undefined),
      readings: () => machineReadings(store.root),
      measure: (resource, pods) =>
        resource === 'memory'
          ? memoryUse({ store, clock }, pods)
          : storageUse((pod, wanted) => machine.measureStorage(pod, wanted), pods),
      evict: (pod, eviction) => this.#runs.get(pod.metadata.uid)?.evict(eviction),
      report: (seen) => {
        report.pressure(seen);
        if (seen.isChanged) this.#live.nodeChanged();
      },
    });
  }

  /** The rights of this process, read when the first Pod needs them. */
  readonly #rights = (): OwnRights => (this.#ownRights ??= readOwnRights(this.#options.runtime.features));
}
