import { tellDefect } from '../defects.ts';
import {
  type Controlled,
  controllerOf,
  hasController,
  isWorkload,
  PodrunError,
  type StoredEvent,
  type StoredPod,
  type StoredService,
  type WatchEvent,
  type Workload,
} from '../api/index.ts';
import type { Clock } from '../clock.ts';
import { isActive, type Owned, restingActions, selectsPod } from '../controllers/index.ts';
import type { Root } from '../lifecycle/index.ts';
import type { InformerChange, Store, Subscription } from '../store/index.ts';
import { ForeignEvents, type LoopEnvironment } from './controller-input.ts';
import { ControllerStages } from './controller-stages.ts';
import { Autoscalers, type UsageSource } from './autoscalers.ts';
import { ActionRunner, type PodClient } from './carry-out.ts';
import { concernedBy } from './concerned.ts';
import { type AutoscalerApi, isPod, isService, mayMakeGarbage, ObjectCache } from '../apiserver/index.ts';
import { NamespaceGarbage } from './namespace-garbage.ts';
import { RunMembers, RunRoots } from './run-members.ts';
import { isDnsService, type ServiceServer } from '../network/index.ts';
import { isServiceOfRun, type RunOfServices, ShownServices } from './shown-services.ts';
import { WorkQueue } from './work-queue.ts';

export interface WorkloadLoopOptions extends LoopEnvironment, PodClient, RunOfServices {
  readonly store: Store;
  readonly clock: Clock;
  readonly newUid: () => string;
  /**
   * Makes this agent the owner of a workload that its controllers have made or adopted. Undefined: another agent owns
   * it. The result gives it up.
   */
  readonly claim: (object: Controlled) => (() => void) | undefined;
  /** Called for each change of an object that belongs to the run. Not for Pods that this agent runs. */
  readonly onObject: (event: WatchEvent<Owned>) => void;
  /** Called for each event of a controller. */
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
  /** True: workloads that are removed are forgotten. Default: the verdict is about them, too. */
  readonly forgetsRemoved?: boolean | undefined;
  /** Called after each turn: the run may be over. */
  readonly onTurn: () => void;
  readonly onTrouble: (error: Error) => void;
  /** Called with a defect of a controller, which may never succeed. Default: it is reported. */
  readonly onDefect?: ((defect: unknown) => void) | undefined;
  /** Calls back with the name of each Service of a namespace that an agent has taken up or given up. */
  readonly watchServiceOwners?: (namespace: string, onChange: (name: string) => void) => Subscription;
  /** The use of its Pods, for autoscalers. Default: nothing is known. */
  readonly usage?: UsageSource | undefined;
  /** The API server beside, for autoscalers. Default: there is none. */
  readonly autoscalerApi?: (() => AutoscalerApi | undefined) | undefined;
  /** The time between two looks of an autoscaler. Default: 15 s. */
  readonly autoscalerPeriodMs?: number | undefined;
  /** Serves the Services of this agent. Undefined: they are not reachable. */
  readonly services?: ServiceServer | undefined;
}

/**
 * Runs the controllers of the workloads that this agent owns. An object that has changed calls the controllers that it
 * concerns. Each turn of the loop lets each of them do one stage of its work; then it reads everything again. Nothing
 * is remembered that a loop of another process could not do without: see controllers/base/reconcile.ts.
 */
export class WorkloadLoop {
  readonly roots: RunRoots;
  readonly #options: WorkloadLoopOptions;
  readonly #cache: ObjectCache;
  readonly #runner: ActionRunner;
  readonly #members: RunMembers;
  readonly #foreignEvents: ForeignEvents;
  /** By namespace. */
  readonly #ownerWatches = new Map<string, Subscription>();
  /** The workloads of this agent, by uid, each with a function that gives it up. */
  readonly #own = new Map<string, () => void>();
  /** The uids of all workloads that this agent has owned: what they leave behind is its garbage. */
  readonly #everOwn = new Set<string>();
  readonly #queue: WorkQueue;
  readonly #garbage: NamespaceGarbage;
  readonly #stages: ControllerStages;
  readonly #autoscalers: Autoscalers;
  /** The workload whose stage is being carried out. */
  #acting: string | undefined;
  /** Undefined: Services are not served. */
  readonly #services: ShownServices | undefined;
  /** True while the objects of a namespace that was not followed before are reported. */
  #isFirstLook = false;
  #isStopped = false;

  constructor(options: WorkloadLoopOptions) {
    this.#options = options;
    this.roots = new RunRoots(options.forgetsRemoved);
    this.#queue = new WorkQueue({ clock: options.clock, onTurn: () => this.#takeTurn() });
    this.#cache = new ObjectCache(options.store, (change) => this.#changed(change));
    const { services: server, onTrouble } = options;
    // The run may be ready when they are shown.
    const onShown = (): void => this.#queue.plan();
    this.#services = server && new ShownServices({ server, cache: this.#cache, onTrouble, onShown });
    this.#members = new RunMembers(this.#cache, (event) => this.#tell(event));
    this.#runner = new ActionRunner({ ...options, cache: this.#cache });
    this.#stages = new ControllerStages({
      environment: options,
      clock: options.clock,
      cache: this.#cache,
      queue: this.#queue,
      runner: this.#runner,
      isOwn: (uid) => this.#own.has(uid),
      enqueue: (uid) => this.#enqueue(uid),
    });
    this.#autoscalers = new Autoscalers({
      ...options,
      cache: this.#cache,
      runner: this.#runner,
      isOwn: (uid) => this.#own.has(uid),
      api: options.autoscalerApi,
      periodMs: options.autoscalerPeriodMs,
    });
    this.#garbage = new NamespaceGarbage({
      ...options,
      cache: this.#cache,
      runner: this.#runner,
      isOwn: (object) => this.isOwn(object) || options.runsPod(object.metadata.uid),
      plan: () => this.#queue.plan(),
    });
    this.#foreignEvents = new ForeignEvents({ ...options, isForeign: (uid) => this.#isForeign(uid) });
  }

  /**
   * Begins to look after a workload that this agent owns, and after what it owns.
   * @param release gives the workload up
   * @param isRoot false: the run was not made for it
   */
  add(workload: Workload, release: () => void, { isRoot = true }: { readonly isRoot?: boolean } = {}): void {
    const { uid, namespace } = workload.metadata;
    if (isRoot) this.roots.add(workload);
    this.#take(uid, release);
    this.#follow(namespace);
    if (this.#cache.get(uid) === undefined) return this.#goneBefore(workload, release);
    for (const object of this.#cache.dependentsOf(uid)) this.#takeIfOwned(object);
    this.#takeServices(namespace);
    this.#members.add(this.#cache.get(uid) ?? workload);
  }

  /** A client deleted the workload before this loop followed it: no event tells of that. */
  #goneBefore(workload: Workload, release: () => void): void {
    this.roots.changed({ type: 'DELETED', object: workload });
    this.#forget(workload);
    release();
    this.#garbage.add(workload.metadata.namespace);
  }

  /** Follows the owners of a Pod that this agent runs without a workload: it goes when they do. */
  follow(pod: StoredPod): void {
    this.#follow(pod.metadata.namespace);
    this.#members.add(this.#cache.get(pod.metadata.uid) ?? pod);
  }

  /**
   * Looks after the Services of this run in a namespace, as soon as no other agent has them.
   */
  followServices(namespace: string): void {
    this.#follow(namespace);
    this.#takeServices(namespace);
    if (this.#ownerWatches.has(namespace)) return;
    const watch = this.#options.watchServiceOwners?.(namespace, (name) => this.#takeServices(namespace, name));
    if (watch !== undefined) this.#ownerWatches.set(namespace, watch);
  }

  /** The applied workloads with their Pods. */
  get rootsWithPods(): readonly Root[] {
    return this.roots.all.map((root) => ({ ...root, pods: this.#cache.podsBelow(root.object.metadata.uid) }));
  }

  /** True when all roots have ended, no Pod of the run terminates, and no controller is due. True after `stop`. */
  get isOver(): boolean {
    if (this.#isStopped) return true;
    return this.#queue.isEmpty && this.#garbage.isEmpty && this.roots.areOver && !this.#members.haveTerminating;
  }

  /** True when connections to Services of this agent reach the endpoints of the last change. */
  get areServicesCurrent(): boolean {
    return this.#services?.areCurrent ?? true;
  }

  /** True when this loop looks after nothing but Services: any other loop takes these up. */
  get isEmpty(): boolean {
    return [...this.#own.keys()].every((uid) => this.#cache.get(uid)?.kind === 'Service');
  }

  /** Looks again at what depends on the node: DaemonSets, and the zones of endpoints. */
  nodeChanged(): void {
    for (const uid of this.#own.keys())
      if (['DaemonSet', 'Service'].includes(this.#cache.get(uid)?.kind ?? '')) this.#enqueue(uid);
  }

  /** True for a workload of this agent, and for what belongs to one. */
  isOwn(object: Owned): boolean {
    return (
      this.#everOwn.has(object.metadata.uid) ||
      (object.metadata.ownerReferences ?? []).some(({ uid }) => this.#everOwn.has(uid))
    );
  }

  /** Stops the controllers. The objects stay unchanged. */
  stop(): void {
    this.#isStopped = true;
    this.#queue.close();
    this.#autoscalers.stop();
  }

  /** Gives up the workloads, after the end of all Pods of this agent. */
  close(): void {
    this.stop();
    for (const uid of this.#own.keys()) this.#attempt(uid, () => this.#rest(uid));
    this.#services?.close();
    for (const watch of this.#ownerWatches.values()) watch.close();
    this.#cache.close();
    this.#foreignEvents.close();
    for (const release of this.#own.values()) release();
    this.#own.clear();
  }

  /** Writes that no Pod of a workload runs any more, unless another agent runs one. */
  #rest(uid: string): void {
    const workload = this.#cache.get(uid);
    if (workload !== undefined && isService(workload)) return this.#stages.take(workload);
    const isAlive = this.#cache.controlledBy<StoredPod>(uid, 'Pod').some(isActive);
    if (workload === undefined || !isWorkload(workload) || isAlive) return;
    this.#runner.carryOut(restingActions(workload, this.#options.clock.now().wallMs));
  }

  #take(uid: string, release: () => void): void {
    this.#own.set(uid, release);
    this.#everOwn.add(uid);
    this.#enqueue(uid);
  }

  /** A workload belongs to the agent of its controller, and a Service to the first agent that looks after it. */
  #takeIfOwned(object: Owned): void {
    const { uid } = object.metadata;
    const controller = controllerOf(object)?.uid ?? '';
    if (this.#isStopped || !hasController(object) || this.#own.has(uid)) return;
    // No proxy serves the Service of podrun's DNS server.
    if (isService(object) ? isDnsService(object.spec) : !this.#own.has(controller)) return;
    const release = this.#options.claim(object);
    if (release === undefined) return;
    this.#take(uid, release);
    for (const dependent of this.#cache.dependentsOf(uid)) this.#takeIfOwned(dependent);
  }

  #follow(namespace: string): void {
    this.#isFirstLook = true;
    try {
      this.#cache.follow(namespace);
    } finally {
      this.#isFirstLook = false;
    }
  }

  /** The agent of a Service may be gone: then an agent that it concerns takes it up. */
  #takeServices(namespace: string, name?: string): void {
    for (const service of this.#cache.free<StoredService>(namespace, 'Service')) {
      if ((name ?? service.metadata.name) === service.metadata.name) this.#takeService(service);
    }
  }

  #takeServicesOf(pod: StoredPod): void {
    for (const service of this.#cache.free<StoredService>(pod.metadata.namespace, 'Service')) {
      if (selectsPod(service, pod)) this.#takeService(service);
    }
  }

  #takeService(service: StoredService): void {
    const { uid } = service.metadata;
    if (this.#own.has(uid) || !isServiceOfRun(service, this.#cache, this.#options)) return;
    this.#takeIfOwned(service);
    if (!this.#own.has(uid)) return;
    this.#members.add(service);
    this.#services?.changed();
  }

  #changed(event: InformerChange<Owned>): void {
    const { type, object, before } = event;
    this.roots.changed(event);
    if (type === 'DELETED') this.#forget(object);
    else if (isService(object) && this.#isFirstLook) this.#takeService(object);
    else this.#takeIfOwned(object);
    this.#members.changed(event);
    this.#autoscalers.changed(event);
    if (this.#autoscalers.has(object.metadata.uid)) this.#options.onObject(event);
    if (isService(object) && this.#own.has(object.metadata.uid)) this.#members.add(object);
    if (isPod(object)) this.#takeServicesOf(object);
    if (isService(object) || object.kind === 'EndpointSlice') {
      this.#services?.changed();
      this.#queue.plan();
    }
    for (const concerned of concernedBy(event, before, this.#cache)) {
      // Its own writes do not call a controller again: the next stage sees them.
      if (concerned !== this.#acting) this.#enqueue(concerned);
    }
    if (mayMakeGarbage(event, this.#cache)) this.#garbage.add(object.metadata.namespace);
  }

  #tell(event: WatchEvent<Owned>): void {
    const { uid, namespace } = event.object.metadata;
    if (this.#options.runsPod(uid)) return;
    if (this.#isForeign(uid)) this.#foreignEvents.follow(namespace);
    this.#options.onObject(event);
    // The run may be over, also where no controller has anything to do.
    this.#queue.plan();
  }

  /** True for a workload of the run, or a Pod of it, that another agent has. */
  #isForeign(uid: string): boolean {
    const object = this.#members.has(uid) ? this.#cache.get(uid) : undefined;
    if (object === undefined || this.#options.runsPod(uid)) return false;
    return isPod(object) || (isWorkload(object) && !this.#everOwn.has(uid));
  }

  #forget(object: Owned): void {
    const { uid } = object.metadata;
    this.#own.delete(uid);
    this.#queue.forget(uid);
    this.#stages.forget(object);
    this.#runner.forget(uid);
  }

  #enqueue(uid: string): void {
    if (!this.#isStopped && this.#own.has(uid)) this.#queue.add(uid);
  }

  #takeTurn(): void {
    const due = this.#queue.takeAll();
    for (const [index, uid] of due.entries()) {
      if (this.#queue.isTired) {
        this.#queue.putBack(due.slice(index));
        break;
      }
      const workload = this.#cache.get(uid);
      if (!this.#isStopped && workload !== undefined && hasController(workload))
        this.#attempt(uid, () => this.#stages.take(workload));
    }
    // Garbage of this garbage waits for the next turn: controllers see each step of a deletion in the foreground.
    for (const namespace of this.#garbage.takeAll()) this.#attempt(undefined, () => this.#garbage.collect(namespace));
    this.#services?.show(this.#own.keys());
    this.#options.onTurn();
  }

  /** Runs one part of a turn. Trouble of one workload does not affect any other workload. */
  #attempt(uid: string | undefined, run: () => void): void {
    this.#acting = uid;
    try {
      run();
    } catch (error) {
      if (error instanceof PodrunError) this.#options.onTrouble(error);
      else (this.#options.onDefect ?? tellDefect)(error);
      if (uid !== undefined) this.#queue.addAfterFailure(uid);
    } finally {
      this.#acting = undefined;
    }
  }
}
