import { caught, inBackground, reportTrouble } from '../../defects.ts';
import { hasCode, isWorkload, type KubeObject, type StoredKubeObject, type StoredPod } from '../../api/index.ts';
import { Agent, type StaticPods } from '../../kubelet/index.ts';
import { type AutoscalerApi, closeLostRuns, kubeletChanger, type NodeClient } from '../../apiserver/index.ts';
import { machineClock } from '../../clock.ts';
import { type PodActivity, podRoot, type Root, type RunRecord } from '../../lifecycle/index.ts';
import { atExit } from '../../runtime/index.ts';
import { claimWorkload } from './begin-workloads.ts';
import { beginObjects } from './begin-objects.ts';
import { hasOwners, openLoop, openStatics, ServiceWatch, staticFolders } from './open-loop.ts';
import { openNodes } from './open-nodes.ts';
import { OwnPods } from './own-pods.ts';
import type { ClaimedObjects, KeptContainers, RunInput, RunListener } from './run-input.ts';
import { keyText, rememberCreated } from '../../store/index.ts';
import { openRuntime } from '../setup/open-runtime.ts';
import type { NodesLoop, WorkloadLoop } from '../../workloads/index.ts';
import { type AgentSettings, declareNodes } from '../../settings/index.ts';
import { type HowToEndRun, StartedRun } from './started-run.ts';
import { StateGuard } from './state-guard.ts';

/**
 * A run on this machine: Pods and workloads with their agent, their controllers and their runtime. The foreground, the
 * background, the library and both servers start theirs here.
 */
export class Run extends StartedRun {
  readonly agent: Agent;
  readonly #options: RunInput;
  /** The objects of the run. None until they are claimed. */
  #claimed: ClaimedObjects;
  readonly settings: AgentSettings;
  readonly #runtime: KeptContainers['runtime'];
  readonly #pods: OwnPods;
  /** The controllers. Undefined: no workload was applied, and no Pod with owners. */
  #workloads: WorkloadLoop | undefined;
  /** Undefined: this machine has always been the only node, or there is no kubelet, and clients decide about Nodes. */
  #nodes: NodesLoop | undefined;
  readonly #services: ServiceWatch;
  /** The Services that this run names. Undefined: all belong to it. */
  readonly #serviceNames: Set<string> | undefined;
  /** Undefined: no folder is watched, or not yet. */
  #statics: readonly StaticPods[] = [];
  /** Undefined: there is nothing to run. */
  readonly #guard: StateGuard | undefined;
  #forgetAtExit: () => void = () => undefined;
  #isServing: boolean;
  /** True from `terminate` on. */
  #isEnding = false;
  /** Undefined: no API server runs beside. */
  #autoscalerApi: AutoscalerApi | undefined;
  #settled: Promise<void> = Promise.resolve();

  /**
   * Makes this process the owner of the objects, opens the runtime, and begins all of them.
   * @throws {PodrunError} before any Pod has begun: see declareNodes and beginObjects
   */
  static async start(input: RunInput): Promise<Run> {
    const options = { ...input, listener: withoutErrors(input.listener) };
    const { openApi, store, nodes = [] } = input;
    declareNodes(store, nodes);
    if (openApi === undefined) {
      const claimed = await beginObjects(input);
      const run = new Run(options, claimed, await input.settings());
      run.#begin();
      return run;
    }
    const run = new Run(options, NOTHING, await input.settings());
    try {
      await openApi(run.asNode());
      run.#claimed = await beginObjects(input);
    } catch (error) {
      await run.end({ force: false });
      throw error;
    }
    run.#begin();
    return run;
  }

  /** Opens the runtime and creates the agent. No Pod has begun. */
  private constructor(options: RunInput, claimed: ClaimedObjects, settings: AgentSettings) {
    super();
    const { store, clock, listener, isServing = false, kept, openApi } = options;
    const { owned, workloads } = claimed;
    const hasApi = isServing || openApi !== undefined;
    const isIdle = [...owned, ...workloads].length === 0 && options.staticPods === undefined && !hasApi && !kept;
    this.#options = options;
    this.#claimed = claimed;
    this.settings = settings;
    this.#isServing = isServing;
    this.#serviceNames = options.objects.services && new Set(options.objects.services.map(keyText));
    this.#services = new ServiceWatch(store, (namespace) => this.#loop().followServices(namespace));
    this.#pods = new OwnPods({
      store,
      listener,
      onChange: () => this.changed(),
      forgetsRemoved: isServing,
      onOwned: (pod) => this.#loop().follow(pod),
      onGone: (pod) => this.#statics.forEach((statics) => statics.gone(pod)),
    });
    const runtime = kept === undefined ? this.#openRuntime(isIdle) : kept.runtime;
    this.#runtime = runtime;
    this.agent = new Agent({
      settings,
      store,
      clock,
      runtime: options.faults?.wrap(runtime) ?? runtime,
      faults: options.faults,
      forgetsRemoved: isServing,
      ...(kept && { runtimeWritesLogs: true, networkRecord: kept.networkRecord }),
      onOutput: listener.onOutput,
      onHookOutput: listener.onHookOutput,
      onOver: (pod) => {
        listener.onOver?.(pod);
        this.changed();
      },
      onEvent: listener.onEvent,
      ...(listener.onPull && { onPull: listener.onPull }),
      onRecordLost: (pod) => this.#guard?.recordLost(pod),
      onTrouble: (error) => {
        if (hasCode(error, 'Disk')) this.#pods.markIncomplete();
        listener.onTrouble(error.message);
      },
    });
    if (workloads.length > 0 || hasApi) this.#loop();
    if (!isIdle) this.#guard = this.#openGuard();
  }

  get record(): RunRecord {
    if (this.#guard?.hasLost === true) return 'lost';
    return this.#pods.isRecordComplete ? 'complete' : 'incomplete';
  }

  /** The applied Pods and the static ones, as the store last reported them. */
  get pods(): readonly StoredPod[] {
    return this.#rootUids.flatMap((uid) => this.#pods.get(uid) ?? []);
  }

  get #rootUids(): readonly string[] {
    return [...this.#claimed.owned.map(({ pod }) => pod.metadata.uid), ...this.#statics.flatMap(({ uids }) => uids)];
  }

  /** The applied Pods and workloads as the store last reported them. */
  get roots(): readonly Root[] {
    return [...this.pods.map(podRoot), ...(this.#workloads?.rootsWithPods ?? [])];
  }

  /** The same, with applied Pods as the agent knows them: also Pods whose record is lost. */
  get endedRoots(): readonly Root[] {
    const uids = new Set(this.#rootUids);
    const applied = this.agent.pods.filter(({ metadata }) => uids.has(metadata.uid));
    return [...applied.map(podRoot), ...(this.#workloads?.rootsWithPods ?? [])];
  }

  /** The Pods of this process, Pods of controllers included, as the store last reported them. */
  get allPods(): readonly StoredPod[] {
    return this.#pods.all;
  }

  activityOf(uid: string): PodActivity | undefined {
    return this.agent.activityOf(uid);
  }

  waitsForOthers(uid: string): boolean {
    return this.agent.waitsForOthers(uid);
  }

  /** True when all Pods of this process have ended, and all workloads, and no more can come. */
  get isOver(): boolean {
    if (this.#isServing || this.#statics.some(({ isWatching }) => isWatching)) return false;
    if (!this.#isEnding && this.#options.isBusy?.() === true) return false;
    return this.agent.isOver && (this.#workloads?.isOver ?? true);
  }

  /** True when no Pod runs and no workload is left that another process would take over. */
  get isIdle(): boolean {
    return this.agent.isOver && (this.#workloads?.isEmpty ?? true);
  }

  /** True when connections to Services of this process reach the endpoints of the last change. */
  get areServicesCurrent(): boolean {
    return this.#workloads?.areServicesCurrent ?? true;
  }

  /**
   * Stores a new Pod of an API server, and begins to run it.
   * @throws {PodrunError} when a Pod of this name exists
   */
  startPod(object: KubeObject): StoredPod {
    const { store, owner } = this.#options;
    const { pod, release } = store.startNewRun(object, owner.command, owner.agent);
    this.#take(pod, release);
    this.#followOwners(pod);
    return store.get<StoredPod>('pods', pod.metadata.namespace, pod.metadata.name) ?? pod;
  }

  /** Begins to look after a workload or Service that an API server has stored. */
  took({ apiVersion, kind, metadata: { namespace, name } }: StoredKubeObject): void {
    const { store, owner } = this.#options;
    if (kind === 'Service') {
      this.#serviceNames?.add(keyText({ namespace, name }));
      return this.#workloads?.followServices(namespace);
    }
    if (kind === 'HorizontalPodAutoscaler') return this.#workloads?.followServices(namespace);
    if (!isWorkload({ kind })) return;
    const workload = claimWorkload(store, { apiVersion, kind, namespace, name }, owner.command, owner.agent);
    if (workload === undefined) return;
    // Beside a run, what a client creates is nothing that the run was made for.
    this.#workloads?.add(workload.object, workload.release, { isRoot: this.#options.openApi === undefined });
    this.#workloads?.followServices(namespace);
  }

  /** This run as the node behind an API server. */
  asNode(): NodeClient {
    return {
      address: this.agent.nodes.all[0].hostIPs[0],
      runsPods: this.#options.holdsPods !== true,
      createPod: (pod) => this.startPod(pod),
      took: (object) => this.took(object),
      serveApi: (api) => this.agent.serveApi(api),
      clusterDns: () => this.agent.clusterDns(),
      usageOf: (pod) => this.agent.usage.of(pod),
      serveAutoscalers: (api) => (this.#autoscalerApi = api),
      dialEndpoint: (endpoint) => this.agent.dialEndpoint(endpoint),
    };
  }

  /** Stops the controllers, then ends all Pods. */
  terminate(how: HowToEndRun): void {
    this.#isServing = false;
    this.#isEnding = true;
    this.#options.faults?.close();
    for (const statics of this.#statics) statics.stop();
    this.#workloads?.stop();
    this.agent.terminate(how);
    // Without a Pod that runs, no other change would come.
    this.changed();
  }

  #begin(): void {
    const { store, clock, listener, faults, kept, holdsPods } = this.#options;
    const { owned, workloads } = this.#claimed;
    const resumed = kept?.resumed ?? [];
    const runs = [...resumed, ...owned];
    const pods = runs.map(({ pod }) => pod);
    for (const run of runs) this.#pods.add(run);
    faults?.begin(
      (uid, event) => this.agent.tell(uid, event),
      kubeletChanger({ store, clock, onEvent: listener.onEvent }),
    );
    for (const pod of pods) this.#pods.follow(pod);
    for (const pod of pods) listener.onPod({ type: 'ADDED', object: pod });
    for (const { pod, instances } of resumed) this.agent.resume(pod, instances, kept?.isNew === true);
    for (const { pod } of owned) this.agent.run(pod);
    for (const { object, release } of workloads) this.#workloads?.add(object, release);
    for (const pod of pods) this.#followOwners(pod);
    for (const { metadata } of [...pods, ...workloads.map(({ object }) => object)]) {
      this.#services.follow(metadata.namespace);
    }
    this.#statics = this.#openStatics();
    if (this.#guard !== undefined && holdsPods !== true) {
      this.agent.onNodeChange(() => this.#lookAtNodes());
      this.#lookAtNodes();
    }
    this.#settled = this.#settle().catch((error: unknown) =>
      reportTrouble(error, ({ message }) => listener.onTrouble(message)),
    );
  }

  /** Releases everything after the end of the agent. Containers that still run end with this process. */
  async close(): Promise<void> {
    this.#options.faults?.close();
    await this.#settled;
    for (const statics of this.#statics) statics.stop();
    this.#services.close();
    this.#nodes?.close();
    this.#pods.close();
    const closed = this.agent.close();
    const hasFolder = this.#guard?.hasLostFolder !== true;
    if (hasFolder) this.#pods.release();
    // The helper of a network outlives the process: it must not serve a Service that another agent takes up.
    if (this.#options.kept === undefined) inBackground(closed);
    else await closed;
    if (hasFolder) this.#pods.releaseWith(() => this.#workloads?.close());
    this.#guard?.close();
    await this.#runtime.close();
    this.#forgetAtExit();
  }

  /** @param isIdle true: nothing starts. Otherwise it is prepared early, or the first container would wait. */
  #openRuntime(isIdle: boolean): KeptContainers['runtime'] {
    const { store, clock, pipes } = this.#options;
    const runtime = openRuntime(store, clock, this.settings, pipes);
    // A failure is reported at the first start.
    if (!isIdle) void runtime.prepare().catch(() => undefined);
    this.#forgetAtExit = atExit(() => runtime.killAll());
    return runtime;
  }

  #openGuard(): StateGuard {
    const { store, clock, listener } = this.#options;
    return new StateGuard({
      store,
      clock: machineClock(clock),
      onLost: (why) => {
        listener.onTrouble(`${why}: ending its Pods`);
        this.terminate({ force: false });
      },
      onRenewed: () => this.agent.lookForObjects(),
      onTrouble: listener.onTrouble,
    });
  }

  /** The controllers. Begins them at the first call. */
  #loop(): WorkloadLoop {
    const { store, clock, owner, listener } = this.#options;
    return (this.#workloads ??= openLoop({
      store,
      clock,
      agent: this.agent,
      settings: this.settings,
      autoscalerApi: () => this.#autoscalerApi,
      owner,
      holdsPod: this.#options.holdsPods === true ? (uid) => this.#pods.get(uid) !== undefined : undefined,
      namesService: this.#serviceNames && ((key) => this.#serviceNames?.has(keyText(key)) === true),
      forgetsRemoved: this.#options.isServing === true,
      onStarted: (pod, release) => this.#take(pod, release),
      onObject: (event) => listener.onObject?.(event),
      onEvent: listener.onEvent,
      onTurn: () => this.changed(),
      onTrouble: (error) => listener.onTrouble(error.message),
      onDefect: (defect) => this.broke(defect),
    }));
  }

  #lookAtNodes(): void {
    if (this.#nodes === undefined && this.agent.nodes.isMachineAlone) return;
    this.#nodes ??= openNodes({ ...this.#options, agent: this.agent, settings: this.settings });
    this.#nodes.look();
  }

  #openStatics(): StaticPods[] {
    const { store, clock, owner, listener, staticPods } = this.#options;
    const { onEvent, onTrouble } = listener;
    const onStarted = (pod: StoredPod, release: () => void): void => this.#take(pod, release);
    return staticFolders(staticPods, this.agent.nodes.all).map((place) =>
      openStatics({ ...place, store, clock, owner, onStarted, onEvent, onTrouble }),
    );
  }

  /** Runs a Pod that was not applied: of an API server, of a controller, or a static one. */
  #take(pod: StoredPod, release: () => void): void {
    this.#pods.take(pod, release);
    this.#services.follow(pod.metadata.namespace);
    this.#options.listener.onPod({ type: 'ADDED', object: pod });
    if (this.#options.holdsPods !== true) this.agent.run(pod);
  }

  /** A Pod may have owners from the start, or be adopted by a controller of any agent. */
  #followOwners(pod: StoredPod): void {
    if (!hasOwners(pod)) return;
    this.#loop().follow(pod);
  }

  /**
   * Does the work that must neither delay these Pods nor end them: records their manifests, and closes Pods of killed
   * podruns. Pods of background agents may be about to start again: the caller that starts one has looked.
   */
  async #settle(): Promise<void> {
    const { store, clock, listener, kept } = this.#options;
    for (const { pod, written } of this.#claimed.owned) rememberCreated(store, pod, written);
    if (kept === undefined) await closeLostRuns(store, clock, listener.onTrouble);
  }
}

/** The objects of a run that has claimed none yet. */
const NOTHING: ClaimedObjects = { owned: [], workloads: [], foreign: [] };

/** The listener of a run whose errors reach no Pod: nothing waits for what a view shows. */
function withoutErrors(listener: RunListener): RunListener {
  const { onPod, onObject, onEvent, onHookOutput } = listener;
  return {
    ...listener,
    onPod: caught(onPod),
    onEvent: caught(onEvent),
    onHookOutput: caught(onHookOutput),
    ...(onObject && { onObject: caught(onObject) }),
  };
}
