import {
  controllerOf,
  type PodrunError,
  resolvedUid,
  type StoredEvent,
  type StoredKubeObject,
  type StoredPod,
  type StoredService,
  type WatchEvent,
} from '../api/index.ts';
import {
  DISRUPTION_TARGET,
  type EventDraft,
  type EvictionSettings,
  type FoundInstance,
  type NodeFacts,
  type OwnRights,
  type PodActivity,
  PREEMPTED,
  preemptedBy,
  type Restoration,
  restoredFacts,
  type SchedulerFacts,
  setConditions,
  type SyncConfig,
} from '../lifecycle/index.ts';
import type { Subscription } from '../store/index.ts';
import {
  type ApiOfPods,
  type ApiPlace,
  type DialEndpoint,
  dialHere,
  lateServer,
  type ServiceListeners,
  type ServiceServer,
  withIngresses,
} from '../network/index.ts';
import { claimFacts, deletePod, EventRecorder, settleClaimsOf } from '../apiserver/index.ts';
import { EvictionWatch, machineReadings, memoryUse, storageUse } from './usage/eviction-watch.ts';
import { NodeReport } from './usage/node-report.ts';
import { TaintEvictions } from './usage/taint-evictions.ts';
import { machineClock } from '../clock.ts';
import { keepAlive } from '../defects.ts';
import { nodeImages, type OnPull, podSourceRules } from '../images/index.ts';
import { LiveRuns } from './live-runs.ts';
import { judgeImages, readOwnRights, ThisNode } from '../settings/index.ts';
import { type AgentResources, Machine } from './machine.ts';
import { podNotices } from './notices.ts';
import { PodRun, type PodRunAgent } from './pod-run.ts';
import type { HowToEnd } from './pod-worker.ts';

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
export class Agent implements PodRunAgent {
  readonly #options: AgentOptions;
  readonly #node: ThisNode;
  readonly #machine: Machine;
  /** By resolved uid of the Pod. */
  readonly #runs = new Map<string, PodRun>();
  readonly #live: LiveRuns;
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

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#live = new LiveRuns(options.clock);
    this.#node = new ThisNode(options.store, options.store.root, options.settings);
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
    });
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
   */
  resume(pod: StoredPod, instances: readonly FoundInstance[]): void {
    const isPlaced = pod.spec.nodeName !== undefined;
    this.#run(pod, isPlaced ? restoredFacts(pod, instances, this.#options.clock.now()) : undefined);
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
      node: this.node,
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
    const { store, clock, onEvent, onTrouble, settings } = this.#options;
    const onServed = (service: StoredService): void => {
      try {
        store.markServing(service.metadata);
      } catch (error) {
        onTrouble(error as PodrunError);
      }
    };
    // They are not reachable: there is nothing to wait for.
    if (settings.privateNetworks?.kind === 'pod') {
      return { show: async (services) => services.forEach(onServed), close: () => undefined };
    }
    const recorder = new EventRecorder({ store, clock, nodeName: this.node.name, onEvent });
    const record = (about: StoredKubeObject, event: EventDraft): void => recorder.recordOwn(about, event);
    return lateServer(async () => {
      const [{ AgentServices }, { ServiceProxy }] = await Promise.all([
        import('../network/node/agent-services.ts'),
        import('../network/proxy/service-proxy.ts'),
      ]);
      const isCluster = settings.privateNetworks !== undefined;
      const report = (error: Error): void => onTrouble(error as PodrunError);
      const shared = { record, clock: machineClock(clock), onTrouble: report };
      // podrun's helper ends with the network.
      const inCluster: ServiceListeners = {
        update: (wanted) => this.#machine.networks.serve(wanted),
        close: () => undefined,
      };
      const listeners = isCluster ? inCluster : new ServiceProxy({ clock: shared.clock, opens: () => true });
      const services = new AgentServices({
        ...shared,
        onServed,
        ownerOf: (port) => this.#machine.networks.ownerOfPort(port),
        network: isCluster ? 'cluster' : 'host',
        listeners,
      });
      return withIngresses(services, store, async () => {
        const { AgentIngresses } = await import('../network/node/agent-ingresses.ts');
        const dial: DialEndpoint = async ({ address, port }) => {
          const helper = isCluster ? await this.#machine.networks.clusterHelper() : undefined;
          return helper === undefined ? dialHere(address, port) : helper.dial({ host: address, port });
        };
        return new AgentIngresses({ ...shared, store, requestedPorts: settings.ingressPorts, dial });
      });
    });
  }

  /** Lets an API server listen in the networks of Pods; see PodNetworks. */
  serveApi(api: ApiOfPods): Promise<ApiPlace | undefined> {
    return this.#machine.networks.serveApi(api);
  }

  config(pod: StoredPod): SyncConfig {
    const { faults, settings, store } = this.#options;
    const { crashLoop, images } = settings;
    const verdicts = judgeImages(pod, images, podSourceRules(pod, settings, store));
    return { crashLoop, images: faults?.images(pod, verdicts) ?? verdicts };
  }

  notices(pod: StoredPod): readonly EventDraft[] {
    return podNotices(pod, { ...this.#options, rights: this.#rights });
  }

  schedulerFacts(run: PodRun): SchedulerFacts {
    const { store } = this.#options;
    const { namespace } = run.pod.metadata;
    return {
      node: this.node,
      placed: this.#live.placedBeside(run),
      claim: (name) => claimFacts(store, namespace, name),
      pressure: this.#evictions?.conditions,
    };
  }

  /** Records an event of a Pod. */
  tell(uid: string, event: EventDraft): void {
    const run = this.#runs.get(uid);
    run?.events(run.pod, [event]);
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

  /** The order of the writes is the scheduler's. Source: pkg/scheduler/framework/preemption/executor.go. */
  preempt(victims: readonly StoredPod[], by: StoredPod, publish: () => void): void {
    const { store, clock, onTrouble } = this.#options;
    const report = (error: unknown): void => onTrouble(error as PodrunError);
    const edit = { type: DISRUPTION_TARGET, status: 'True', ...PREEMPTED } as const;
    for (const { metadata } of victims) {
      try {
        store.change<StoredPod>('pods', metadata, 'status', (pod) => {
          return { ...pod, status: setConditions(pod.status, [edit], clock.now().wallMs) };
        });
      } catch (error) {
        report(error);
      }
    }
    publish();
    for (const { metadata } of victims) {
      const { namespace, name, uid } = metadata;
      void deletePod({ store, clock, namespace, name, graceSeconds: undefined }).catch(report);
      this.#runs.get(uid)?.scheduling(preemptedBy(by.metadata.uid, this.node.name));
    }
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
    for (const run of this.#runs.values()) run.lookForObject();
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
    this.#taintEvictions.close();
    const subscriptions = [...this.#claimWatches.values(), ...this.#subscriptions];
    for (const open of [...this.#runs.values(), ...subscriptions]) open.close();
    await this.#machine.close();
    this.#alive.close();
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
