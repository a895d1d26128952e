import { caught, inBackground } from '../../defects.ts';
import { hasCode, isWorkload, type KubeObject, type StoredKubeObject, type StoredPod } from '../../api/index.ts';
import { Agent, type StaticPods } from '../../kubelet/index.ts';
import { closeLostRuns, type NodeClient } from '../../apiserver/index.ts';
import { machineClock } from '../../clock.ts';
import { type PodActivity, podRoot, type Root, type RunRecord } from '../../lifecycle/index.ts';
import { atExit } from '../../runtime/index.ts';
import type { OwnedRun } from './begin-runs.ts';
import { claimWorkload, type OwnedWorkload } from './begin-workloads.ts';
import { hasOwners, openLoop } from './open-loop.ts';
import { openStatics } from './open-statics.ts';
import { OwnPods } from './own-pods.ts';
import type { KeptContainers, RunListener, RunInput } from './run-input.ts';
import { rememberCreated } from '../../store/index.ts';
import { openRuntime } from '../setup/open-runtime.ts';
import type { WorkloadLoop } from '../../workloads/index.ts';
import { ServiceWatch } from './service-watch.ts';
import { StateGuard } from './state-guard.ts';

/**
 * A run: Pods and workloads with their agent, their controllers and their runtime. The foreground, the background, the
 * library and both servers make theirs of it.
 */
export class Run {
  readonly agent: Agent;
  readonly #options: RunInput & { readonly owned: readonly OwnedRun[]; readonly workloads: readonly OwnedWorkload[] };
  readonly #runtime: KeptContainers['runtime'];
  readonly #pods: OwnPods;
  /** The controllers. Undefined: no workload was applied, and no Pod with owners. */
  #workloads: WorkloadLoop | undefined;
  readonly #services: ServiceWatch;
  /** Undefined: no folder is watched, or not yet. */
  #statics: StaticPods | undefined;
  /** Undefined: there is nothing to run. */
  readonly #guard: StateGuard | undefined;
  #forgetAtExit: () => void = () => undefined;
  /** Resolve the promises of `whenOver`. */
  readonly #awaited: (() => void)[] = [];
  #hasBegun = false;
  #isServing: boolean;
  #settled: Promise<void> = Promise.resolve();

  /** Opens the runtime and creates the agent. No Pod has begun. */
  constructor(options: RunInput) {
    const { settings, store, clock, owned = [], workloads = [], isServing = false, kept } = options;
    const listener = withoutErrors(options.listener);
    const isIdle = [...owned, ...workloads].length === 0 && options.staticPods === undefined && !isServing && !kept;
    this.#options = { ...options, owned, workloads, listener };
    this.#isServing = isServing;
    this.#services = new ServiceWatch(store, (namespace) => this.#loop().followServices(namespace));
    this.#pods = new OwnPods([...owned, ...(kept?.resumed ?? [])], {
      store,
      listener,
      forgetsRemoved: isServing,
      onOwned: (pod) => this.#loop().follow(pod),
      onGone: (pod) => this.#statics?.gone(pod),
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
      ...(kept && { logsElsewhere: true, networkRecord: kept.networkRecord }),
      onOutput: listener.onOutput,
      onHookOutput: listener.onHookOutput,
      onOver: (pod) => {
        listener.onOver?.(pod);
        listener.onChange();
        this.#lookIfOver();
      },
      onEvent: listener.onEvent,
      ...(listener.onPull && { onPull: listener.onPull }),
      onRecordLost: (pod) => this.#guard?.recordLost(pod),
      onTrouble: (error) => {
        if (hasCode(error, 'Disk')) this.#pods.markIncomplete();
        listener.onTrouble(error.message);
      },
    });
    if (workloads.length > 0 || isServing) this.#loop();
    if (!isIdle) this.#guard = this.#openGuard();
  }

  /** complete: all states, events and output of the Pods were recorded. */
  get record(): RunRecord {
    if (this.#guard?.hasLost === true) return 'lost';
    return this.#pods.isRecordComplete ? 'complete' : 'incomplete';
  }

  /** The applied Pods and the static ones, as the store last reported them. */
  get pods(): readonly StoredPod[] {
    return this.#rootUids.flatMap((uid) => this.#pods.get(uid) ?? []);
  }

  get #rootUids(): readonly string[] {
    return [...this.#options.owned.map(({ pod }) => pod.metadata.uid), ...(this.#statics?.uids ?? [])];
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

  /** The next steps of the agent for a Pod, by the uid of the Pod. */
  activityOf(uid: string): PodActivity | undefined {
    return this.agent.activityOf(uid);
  }

  /** True when all Pods of this process have ended, and all workloads, and no more can come. */
  get isOver(): boolean {
    if (!this.#hasBegun || this.#isServing || this.#statics?.isWatching === true) return false;
    return this.agent.isOver && (this.#workloads?.isOver ?? true);
  }

  /** Resolves when the run is over. */
  whenOver(): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited.push(resolve);
      this.#lookIfOver();
    });
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
    this.agent.run(pod);
    this.#followOwners(pod);
    return store.get<StoredPod>('pods', pod.metadata.namespace, pod.metadata.name) ?? pod;
  }

  /** Begins to look after a workload or Service that an API server has stored. */
  took({ apiVersion, kind, metadata: { namespace, name } }: StoredKubeObject): void {
    const { store, owner } = this.#options;
    if (kind === 'Service') return this.#workloads?.followServices(namespace);
    if (!isWorkload({ kind })) return;
    const workload = claimWorkload(store, { apiVersion, kind, namespace, name }, owner.command, owner.agent);
    if (workload === undefined) return;
    this.#workloads?.add(workload.object, workload.release);
    this.#workloads?.followServices(namespace);
  }

  /** This run as the node behind an API server. */
  asNode(): NodeClient {
    return {
      createPod: (pod) => this.startPod(pod),
      took: (object) => this.took(object),
      serveApi: (api) => this.agent.serveApi(api),
    };
  }

  /** Stops the controllers, then ends all Pods. The objects stay on record. */
  terminate(how: { readonly force: boolean; readonly graceSeconds?: number }): void {
    this.#isServing = false;
    this.#options.faults?.close();
    this.#statics?.stop();
    this.#workloads?.stop();
    this.agent.terminate(how);
    this.#lookIfOver();
  }

  /** Begins all Pods and workloads. */
  begin(): void {
    const { owned, workloads, listener, faults, kept } = this.#options;
    const resumed = kept?.resumed ?? [];
    const pods = [...resumed, ...owned].map(({ pod }) => pod);
    faults?.begin((uid, event) => this.agent.tell(uid, event));
    for (const pod of pods) this.#pods.follow(pod);
    for (const pod of pods) listener.onPod({ type: 'ADDED', object: pod });
    for (const { pod, instances } of resumed) this.agent.resume(pod, instances);
    for (const { pod } of owned) this.agent.run(pod);
    for (const { object, release } of workloads) this.#workloads?.add(object, release);
    for (const pod of pods) this.#followOwners(pod);
    for (const { metadata } of [...pods, ...workloads.map(({ object }) => object)]) {
      this.#services.follow(metadata.namespace);
    }
    this.#statics = this.#openStatics();
    // Until here, a change by another process must not find a run without Pods, and take it for over.
    this.#hasBegun = true;
    listener.onChange();
    this.#lookIfOver();
    this.#settled = this.#settle().catch((error: unknown) =>
      listener.onTrouble(error instanceof Error ? error.message : String(error)),
    );
  }

  /** Ends all Pods, and releases everything after the last of them. */
  async end(how: Parameters<Run['terminate']>[0]): Promise<void> {
    this.terminate(how);
    await this.whenOver();
    await this.close();
  }

  /** Releases everything after the end of the agent. Containers that still run end with this process. */
  async close(): Promise<void> {
    this.#options.faults?.close();
    await this.#settled;
    this.#statics?.stop();
    this.#services.close();
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

  #lookIfOver(): void {
    if (this.#awaited.length > 0 && this.isOver) for (const resolve of this.#awaited.splice(0)) resolve();
  }

  /** @param isIdle true: nothing starts. Otherwise it is prepared early, or the first container would wait. */
  #openRuntime(isIdle: boolean): KeptContainers['runtime'] {
    const { settings, store, clock, pipes } = this.#options;
    const runtime = openRuntime(store, clock, settings, pipes);
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
    const { settings, store, clock, owner, listener } = this.#options;
    return (this.#workloads ??= openLoop({
      store,
      clock,
      agent: this.agent,
      jobBackOff: settings.jobBackOff,
      owner,
      forgetsRemoved: this.#options.isServing === true,
      onStarted: (pod, release) => this.#take(pod, release),
      onObject: (event) => listener.onObject?.(event),
      onEvent: listener.onEvent,
      onTurn: () => {
        listener.onChange();
        this.#lookIfOver();
      },
      onTrouble: (error) => listener.onTrouble(error.message),
      onDefect: listener.onDefect,
    }));
  }

  #openStatics(): StaticPods | undefined {
    const { store, clock, owner, listener, staticPods } = this.#options;
    if (staticPods === undefined) return undefined;
    return openStatics({
      folder: staticPods,
      store,
      clock,
      agent: this.agent,
      owner,
      onStarted: (pod, release) => this.#take(pod, release),
      onEvent: listener.onEvent,
      onTrouble: listener.onTrouble,
    });
  }

  /** Takes a Pod that was not applied: of a controller, or a static one. */
  #take(pod: StoredPod, release: () => void): void {
    this.#pods.take(pod, release);
    this.#services.follow(pod.metadata.namespace);
    this.#options.listener.onPod({ type: 'ADDED', object: pod });
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
    const { store, clock, owned, listener, kept } = this.#options;
    for (const { pod, written } of owned) rememberCreated(store, pod, written);
    if (kept === undefined) await closeLostRuns(store, clock, listener.onTrouble);
  }
}

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
