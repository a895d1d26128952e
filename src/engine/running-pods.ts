import { caught, inBackground } from '../defects.ts';
import { hasCode } from '../api/errors.ts';
import { Agent, type AgentOptions } from '../kubelet/agent.ts';
import { isRenewed } from '../apiserver/deletion/is-stored.ts';
import { closeLostRuns } from '../apiserver/deletion/lost-runs.ts';
import {
  controllerOf,
  type KubeObject,
  resolvedUid,
  type StoredKubeObject,
  type StoredPod,
  type WatchEvent,
} from '../api/objects.ts';
import { isWorkload } from '../api/workloads/stored-workloads.ts';
import { type Clock, machineClock } from '../clock.ts';
import type { Owned } from '../controllers/reconcile.ts';
import type { PodActivity } from '../lifecycle/activity.ts';
import { podRoot, type Root } from '../lifecycle/requests/root.ts';
import type { RunRecord } from '../lifecycle/requests/verdict.ts';
import type { PipeKind } from '../runtime/pipes/process-pipes.ts';
import type { ProcessRuntime } from '../runtime/process-runtime.ts';
import type { FileStore } from '../store/file-store.ts';
import type { Subscription } from '../store/store.ts';
import type { Faults } from '../kubelet/faults.ts';
import type { StaticPods } from '../kubelet/static/static-pods.ts';
import { atExit } from '../runtime/at-exit.ts';
import type { OwnedRun } from './begin-runs.ts';
import { claimWorkload, type OwnedWorkload } from './begin-workloads.ts';
import { hasOwners, openLoop } from './open-loop.ts';
import { openStatics } from './open-statics.ts';
import { rememberCreated } from '../store/records/last-manifest.ts';
import type { AgentSettings } from '../settings/agent-settings.ts';
import { openRuntime } from './setup/open-runtime.ts';
import type { WorkloadLoop } from '../workloads/workload-loop.ts';
import { ServiceWatch } from './service-watch.ts';
import { StateGuard } from './state-guard.ts';

/** The callbacks for running Pods. */
export interface RunListener extends Pick<AgentOptions, 'onOutput' | 'onHookOutput' | 'onEvent' | 'onPull'> {
  /** Called for every change of a Pod, in order. */
  readonly onPod: (event: WatchEvent<StoredPod>) => void;
  /** Called for every change of another object of the run: a workload, what its controllers make, an adopted Pod. */
  readonly onObject?: (event: WatchEvent<Owned>) => void;
  /** Called after every change, and when a Pod is over: the condition of a wait may hold now. */
  readonly onChange: () => void;
  /** Called with an error that does not end the run. */
  readonly onTrouble: (text: string) => void;
  /** Called with a defect of a controller: its workload may never end. Default: it is told. */
  readonly onDefect?: (defect: unknown) => void;
}

/** The Pods to run, and the dependencies. */
export interface PodsToRun {
  readonly settings: AgentSettings;
  readonly store: FileStore;
  readonly clock: Clock;
  readonly owned: readonly OwnedRun[];
  /** The workloads to run. Default: none. */
  readonly workloads?: readonly OwnedWorkload[];
  /** The folder whose files are static Pods. Default: none. */
  readonly staticPods?: string | undefined;
  /** True: an API server stores what is to run, until `terminate`. Default: false. */
  readonly isServing?: boolean;
  /** The command of the user, for messages about the owner of what controllers make. */
  readonly command: string;
  readonly listener: RunListener;
  /** Faults on purpose. Default: none. */
  readonly faults?: Faults | undefined;
  /** The kind of pipe for the containers' streams. Undefined: the best of the machine. */
  readonly pipes?: PipeKind | undefined;
}

/** Pods that run in this process, with their agent and their runtime. */
export class RunningPods {
  readonly agent: Agent;
  readonly #options: PodsToRun;
  readonly #runtime: ProcessRuntime;
  /**
   * The Pods by resolved uid, as the store last reported them, a moment before the agent's own view changes: no
   * deciding state may be missed.
   */
  readonly #latest: Map<string, StoredPod>;
  /** The controllers. Undefined: no workload was applied, and no Pod with owners. */
  #workloads: WorkloadLoop | undefined;
  readonly #services: ServiceWatch;
  /** Undefined: no folder is watched, or not yet. */
  #statics: StaticPods | undefined;
  /** By resolved uid of the Pod: gives it up. */
  readonly #releases: Map<string, () => void>;
  /** Undefined: there is nothing to run. */
  readonly #guard: StateGuard | undefined;
  readonly #forgetAtExit: () => void;
  readonly #subscriptions = new Map<string, Subscription>();
  #settled: Promise<void> = Promise.resolve();
  #isRecordComplete = true;

  /** Opens the runtime and creates the agent. No Pod has begun. */
  constructor(options: PodsToRun) {
    const { settings, store, clock, owned, workloads = [] } = options;
    const listener = withoutErrors(options.listener);
    const isAsked = options.staticPods !== undefined || options.isServing === true;
    const isIdle = owned.length === 0 && workloads.length === 0 && !isAsked;
    const runtime = openRuntime(store, clock, settings, options.pipes);
    // Prepared early, or the first container would wait. A failure is reported at the first start.
    if (!isIdle) void runtime.prepare().catch(() => undefined);
    this.#options = { ...options, listener };
    this.#services = new ServiceWatch(store, (namespace) => {
      this.#workloads ??= this.#openLoop();
      this.#workloads.followServices(namespace);
    });
    this.#runtime = runtime;
    this.#releases = new Map(owned.map(({ pod, release }) => [pod.metadata.uid, release]));
    this.#latest = new Map(owned.map(({ pod }) => [pod.metadata.uid, pod]));
    this.#forgetAtExit = atExit(() => runtime.killAll());
    this.agent = new Agent({
      settings,
      store,
      clock,
      runtime: options.faults?.around(runtime) ?? runtime,
      faults: options.faults,
      forgetsRemoved: options.isServing === true,
      onOutput: listener.onOutput,
      onHookOutput: listener.onHookOutput,
      onOver: listener.onChange,
      onEvent: listener.onEvent,
      ...(listener.onPull && { onPull: listener.onPull }),
      onRecordLost: (pod) => this.#guard?.recordLost(pod),
      onTrouble: (error) => {
        if (hasCode(error, 'Disk')) this.#missing();
        listener.onTrouble(error.message);
      },
    });
    if (workloads.length > 0 || options.isServing === true) this.#workloads = this.#openLoop();
    if (isIdle) return;
    this.#guard = new StateGuard({
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

  /** complete: all states, events and output of the Pods were recorded. */
  get record(): RunRecord {
    if (this.#guard?.hasLost === true) return 'lost';
    return this.#isRecordComplete ? 'complete' : 'incomplete';
  }

  /** The applied Pods and the static ones, as the store last reported them. */
  get pods(): readonly StoredPod[] {
    return this.#rootUids.flatMap((uid) => this.#latest.get(uid) ?? []);
  }

  get #rootUids(): readonly string[] {
    return [...this.#options.owned.map(({ pod }) => pod.metadata.uid), ...(this.#statics?.uids ?? [])];
  }

  /** The applied Pods and workloads as the store last reported them. */
  get roots(): readonly Root[] {
    return [...this.pods.map(podRoot), ...(this.#workloads?.rootsWithPods ?? [])];
  }

  /** The same, with applied Pods as the agent knows them: also those whose record is lost. */
  get endedRoots(): readonly Root[] {
    const uids = new Set(this.#rootUids);
    const applied = this.agent.pods.filter(({ metadata }) => uids.has(metadata.uid));
    return [...applied.map(podRoot), ...(this.#workloads?.rootsWithPods ?? [])];
  }

  /** The Pods of this process, those of controllers included, as the store last reported them. */
  get allPods(): readonly StoredPod[] {
    return [...this.#latest.values()];
  }

  /** The next steps of the agent for a Pod, by the uid of the Pod. */
  activityOf(uid: string): PodActivity | undefined {
    return this.agent.activityOf(uid);
  }

  /** True when all Pods of this process have ended, and all workloads, and no more can come. */
  get isOver(): boolean {
    if (this.#statics?.isWatching === true) return false;
    return this.agent.isOver && (this.#workloads?.isOver ?? true);
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
    const { store, command } = this.#options;
    const { pod, release } = store.startNewRun(object, command);
    this.#take(pod, release);
    this.agent.run(pod);
    this.#followOwners(pod);
    return store.get<StoredPod>('pods', pod.metadata.namespace, pod.metadata.name) ?? pod;
  }

  /** Begins to look after a workload or Service that an API server has stored. */
  took({ apiVersion, kind, metadata: { namespace, name } }: StoredKubeObject): void {
    const { store, command } = this.#options;
    if (kind === 'Service') return this.#workloads?.followServices(namespace);
    if (!isWorkload({ kind })) return;
    const workload = claimWorkload(store, { apiVersion, kind, namespace, name }, command, undefined);
    if (workload === undefined) return;
    this.#workloads?.add(workload.object, workload.release);
    this.#workloads?.followServices(namespace);
  }

  /** Stops the controllers, then ends all Pods. The objects stay on record. */
  terminate(how: { readonly force: boolean; readonly graceSeconds?: number }): void {
    this.#options.faults?.close();
    this.#statics?.stop();
    this.#workloads?.stop();
    this.agent.terminate(how);
  }

  /** Begins all Pods and workloads. */
  begin(): void {
    const { owned, workloads = [], listener, faults } = this.#options;
    faults?.begin((uid, event) => this.agent.tell(uid, event));
    for (const { pod } of owned) this.#follow(pod);
    for (const { pod } of owned) listener.onPod({ type: 'ADDED', object: pod });
    for (const { pod } of owned) this.agent.run(pod);
    for (const { object, release } of workloads) this.#workloads?.add(object, release);
    for (const { pod } of owned) this.#followOwners(pod);
    for (const { pod } of owned) this.#services.follow(pod.metadata.namespace);
    this.#statics = this.#openStatics();
    listener.onChange();
    this.#settled = this.#settle().catch((error: unknown) =>
      listener.onTrouble(error instanceof Error ? error.message : String(error)),
    );
  }

  /** Releases everything after the end of the agent. Containers that still run end with this process. */
  async close(): Promise<void> {
    this.#options.faults?.close();
    await this.#settled;
    this.#statics?.stop();
    this.#services.close();
    for (const subscription of this.#subscriptions.values()) subscription.close();
    inBackground(this.agent.close());
    if (this.#guard?.hasLostFolder !== true) {
      for (const release of this.#releases.values()) this.#release(release);
      this.#release(() => this.#workloads?.close());
    }
    this.#guard?.close();
    await this.#runtime.close();
    this.#forgetAtExit();
  }

  #openLoop(): WorkloadLoop {
    const { settings, store, clock, command, listener } = this.#options;
    return openLoop({
      store,
      clock,
      agent: this.agent,
      jobBackOff: settings.jobBackOff,
      owner: { command },
      forgetsRemoved: this.#options.isServing === true,
      onStarted: (pod, release) => this.#take(pod, release),
      onObject: (event) => listener.onObject?.(event),
      onEvent: listener.onEvent,
      onTurn: listener.onChange,
      onTrouble: (error) => listener.onTrouble(error.message),
      onDefect: listener.onDefect,
    });
  }

  #openStatics(): StaticPods | undefined {
    const { store, clock, command, listener, staticPods } = this.#options;
    if (staticPods === undefined) return undefined;
    return openStatics({
      folder: staticPods,
      store,
      clock,
      agent: this.agent,
      owner: { command },
      onStarted: (pod, release) => this.#take(pod, release),
      onEvent: listener.onEvent,
      onTrouble: listener.onTrouble,
    });
  }

  /** Takes a Pod that was not applied: of a controller, or a static one. */
  #take(pod: StoredPod, release: () => void): void {
    this.#releases.set(resolvedUid(pod), release);
    this.#latest.set(resolvedUid(pod), pod);
    this.#follow(pod);
    this.#services.follow(pod.metadata.namespace);
    this.#options.listener.onPod({ type: 'ADDED', object: pod });
  }

  /** A Pod may have owners from the start, or be adopted by a controller of any agent. */
  #followOwners(pod: StoredPod): void {
    if (!hasOwners(pod)) return;
    this.#workloads ??= this.#openLoop();
    this.#workloads.follow(pod);
  }

  /** Reports the changes of a Pod. Forgets a Pod of a controller that is gone. */
  #follow(pod: StoredPod): void {
    const { store, listener } = this.#options;
    const { namespace, name } = pod.metadata;
    const uid = resolvedUid(pod);
    const subscription = store.watch<StoredPod>('pods', { namespace, name }, (event) => {
      if (resolvedUid(event.object) !== uid) return;
      this.#latest.set(uid, event.object);
      listener.onPod(event);
      if (event.type !== 'DELETED') this.#followOwners(event.object);
      const isPassing = controllerOf(pod) !== undefined || this.#options.isServing === true;
      if (event.type === 'DELETED' && isPassing && !isRenewed(store, event.object)) {
        subscription.close();
        this.#subscriptions.delete(uid);
        this.#releases.delete(uid);
        this.#latest.delete(uid);
        this.#statics?.gone(event.object);
      }
      listener.onChange();
    });
    this.#subscriptions.set(uid, subscription);
  }

  /** Records that a write has failed, for other processes that wait for these Pods. */
  #missing(): void {
    this.#isRecordComplete = false;
    for (const pod of this.#latest.values()) this.#options.store.markIncomplete(pod.metadata);
  }

  /** Releases a Pod. A full disk may keep its owner on record: for a Pod that has ended, that does no harm. */
  #release(release: () => void): void {
    try {
      release();
    } catch (error) {
      if (!hasCode(error, 'Disk')) throw error;
      this.#missing();
      this.#options.listener.onTrouble(error.message);
    }
  }

  /**
   * Does the work that must neither delay these Pods nor end them: records their manifests, and closes Pods of killed
   * podruns.
   */
  async #settle(): Promise<void> {
    const { store, clock, owned, listener } = this.#options;
    for (const { pod, written } of owned) rememberCreated(store, pod, written);
    await closeLostRuns(store, clock, listener.onTrouble);
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
