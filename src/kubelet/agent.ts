import {
  controllerOf,
  isTerminalPhase,
  resolvedUid,
  type StoredEvent,
  type StoredPod,
  type WatchEvent,
} from '../api/index.ts';
import {
  type EventDraft,
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
import { type ApiOfPods, type ApiPlace, type DialEndpoint, type ServiceServer } from '../network/index.ts';
import { deletePod, schedulingObjects, settleClaimsOf } from '../apiserver/index.ts';
import { runningContainers } from './usage/measure-pods.ts';
import { UsageSampler } from './usage/usage-sampler.ts';
import { inTurn } from '../clock.ts';
import { keepAlive, reportTrouble } from '../defects.ts';
import { nodeImages, type OnPull, podSourceRules } from '../images/index.ts';
import { ClaimChanges } from './claim-changes.ts';
import { LiveRuns } from './live-runs.ts';
import { Neighbours } from './usage/neighbours.ts';
import { lookAtContainers } from '../runtime/index.ts';
import { ClusterNodes, judgeImages, METRICS_INTERVAL_MS, readOwnRights } from '../settings/index.ts';
import { type AgentResources, Machine } from './machine.ts';
import { NodeFollower } from './node-follower.ts';
import { podNotices } from './notices.ts';
import { PodRun } from './pod-run.ts';
import type { PodRunAgent, PreemptedPods } from './pod-run-agent.ts';
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
  readonly #machine: Machine;
  /** By resolved uid of the Pod. */
  readonly #runs = new Map<string, PodRun>();
  readonly #live: LiveRuns;
  readonly #neighbours: Neighbours;
  /** Undefined: no Pod has had a claim. */
  #claims: ClaimChanges | undefined;
  #ownRights: OwnRights | undefined;
  readonly #alive = keepAlive();
  readonly #follower: NodeFollower;
  /** The nodes on which it runs Pods. */
  readonly nodes: ClusterNodes;
  /** Samples the use of its containers. */
  readonly usage: UsageSampler;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.nodes = new ClusterNodes(options.store, options.store.root, options.settings);
    this.#neighbours = new Neighbours({
      store: options.store,
      isOwn: (uid) => this.hasPod(uid),
      onChange: (event) => this.#live.heard(event),
    });
    this.#live = new LiveRuns(options.clock, schedulingObjects(options.store));
    this.#follower = new NodeFollower({
      ...options,
      nodes: this.nodes,
      runs: this.#runs,
      live: this.#live,
      runAgain: (pod, crashed) => this.resume(pod, [], true, crashed),
      deletePod: (pod, graceSeconds) => this.#delete(pod, graceSeconds),
      measureStorage: (pod, wanted) => this.#machine.measureStorage(pod, wanted),
    });
    this.#machine = new Machine({
      ...options,
      images: nodeImages(options),
      nodeOf: (pod) => this.nodes.of(pod),
      rights: this.#rights,
      isRemoved: ({ metadata }) => this.#runs.get(metadata.uid)?.isRemoved === true,
      isOwn: (pod) => this.#runs.has(resolvedUid(pod)),
    });
    this.usage = this.#sampler();
  }

  nodeOf(pod: StoredPod): NodeFacts {
    return this.nodes.of(pod);
  }

  /** Calls back after each change of a node's labels, taints and cordon. */
  onNodeChange(listener: () => void): void {
    this.#follower.onChange(listener);
  }

  /** Begins to run a stored Pod that no other agent runs. */
  run(pod: StoredPod): void {
    this.#run(pod, undefined);
  }

  /**
   * Resumes a Pod whose former agent has ended.
   * @param instances the containers that the runtime has
   * @param isRuntimeNew see `restoredFacts`
   * @param former see SandboxOptions
   */
  resume(pod: StoredPod, instances: readonly FoundInstance[], isRuntimeNew: boolean, former?: Promise<unknown>): void {
    const isPlaced = pod.spec.nodeName !== undefined;
    const { clock } = this.#options;
    this.#run(pod, isPlaced ? restoredFacts(pod, instances, clock.now(), isRuntimeNew) : undefined, former);
  }

  #run(pod: StoredPod, restoration: Restoration | undefined, former?: Promise<unknown>): void {
    const { store } = this.#options;
    this.#follower.follow();
    const run = new PodRun({
      ...this.#options,
      pod,
      restoration,
      former,
      agent: this,
      machine: this.#machine,
    });
    this.#runs.set(resolvedUid(pod), run);
    this.#live.add(run);
    if ((pod.spec.volumes ?? []).some(({ persistentVolumeClaim: claim }) => claim !== undefined)) {
      this.#settleClaims(pod);
      this.#claims ??= new ClaimChanges(store, (event) => this.#live.heard(event));
    }
    this.#live.begin(run);
    this.#follower.podBegan();
  }

  /** The server of Services in the network of this agent's Pods. */
  services(): ServiceServer {
    return servicesOf({ ...this.#options, networks: this.#machine.networks, nodes: () => this.nodes.all });
  }

  /** Lets an API server listen in the networks of Pods; see PodNetworks. */
  serveApi(api: ApiOfPods): Promise<ApiPlace | undefined> {
    return this.#machine.networks.serveApi(api);
  }

  /** See PodNames. */
  clusterDns(): Promise<string | undefined> {
    return this.#machine.clusterDns();
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
    const place = { ...this.#options, store: this.#options.store.recent, hasNodes: !this.nodes.isMachineAlone };
    return podNotices(pod, { ...place, rights: this.#rights });
  }

  schedulerFacts(run: PodRun): SchedulerFacts {
    const { store } = this.#options;
    const others = this.#neighbours.read();
    return {
      nodes: this.nodes.all,
      order: this.#live.orderOf(run),
      placed: [...this.#live.placedBeside(run), ...others.placed],
      nominated: [...this.#live.nominatedBeside(run), ...others.nominated],
      objects: schedulingObjects(store),
      pressure: this.#follower.pressure,
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
    this.#runs.get(uid)?.worker?.restart(containers, isByUser);
  }

  preempt({ nodeName, victims }: PreemptedPods, by: StoredPod, publish: () => void): void {
    const run = this.#runs.get(resolvedUid(by));
    const waits = (): void => {
      if (run !== undefined) this.#live.nominate(run, nodeName);
      publish();
    };
    const nominated = [...this.#live.nominatedBeside(run), ...this.#neighbours.read().nominated];
    const deletePod = (pod: StoredPod): void => this.#delete(pod, undefined);
    preemptVictims(victims, by, { ...this.#options, nodeName, nominated, waits, deletePod });
  }

  #delete({ metadata: { namespace, name } }: StoredPod, graceSeconds: number | undefined): void {
    const { store, clock, onTrouble } = this.#options;
    deletePod({ store, clock, namespace, name, graceSeconds }).catch((error: unknown) =>
      reportTrouble(error, onTrouble),
    );
  }

  placed(run: PodRun): void {
    this.#live.placed(run);
  }

  changed(run: PodRun): void {
    if (run.state !== 'waiting') this.#machine.podChanged(run.pod);
    this.#live.changed(run);
  }

  recorded(run: PodRun): void {
    this.#live.changed(run);
  }

  over(run: PodRun): void {
    this.#settleClaims(run.pod);
    this.#live.remove(run);
    this.#follower.podOver(run.pod);
    this.#options.onOver(run.pod);
  }

  #settleClaims(pod: StoredPod): void {
    try {
      settleClaimsOf(this.#options.store, pod);
    } catch (error) {
      reportTrouble(error, this.#options.onTrouble);
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
    this.#follower.close();
    this.usage.close();
    this.#neighbours.close();
    this.#claims?.close();
    this.#live.close();
    for (const run of this.#runs.values()) run.close();
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

  /** The rights of this process, read when the first Pod needs them. */
  readonly #rights = (): OwnRights => (this.#ownRights ??= readOwnRights(this.#options.runtime.features));
}
