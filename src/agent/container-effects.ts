import type { StoredPod } from '../api/objects.ts';
import type { Container } from '../api/generated/types.ts';
import type { Clock } from '../clock.ts';
import type { Effect, EventDraft } from '../lifecycle/effects.ts';
import type { PodFacts } from '../lifecycle/facts.ts';
import type { StorageMeasures, StorageUsage } from '../lifecycle/volumes/local-storage.ts';
import type { Observation, StartFailed } from '../lifecycle/observation.ts';
import { containerSpec } from '../lifecycle/observe.ts';
import type { ProbeAttempt } from '../lifecycle/probes/probe-attempt.ts';
import { probedContainers } from '../lifecycle/probes/probed-containers.ts';
import {
  failedCreatePodSandBox,
  noSignalHandler,
  limitsNotEnforced,
  terminalMissing,
} from '../lifecycle/texts/events.ts';
import { stopSignal } from '../lifecycle/plan/stop.ts';
import type { FoundInstance } from '../lifecycle/restored-facts.ts';
import type { Confinement, Identity, ResourceLimits } from '../runtime/confinement.ts';
import type { Adopted, OutputStream, ProcessExit, RunningContainer, Runtime } from '../runtime/runtime.ts';
import type { NetworkJoin } from '../runtime/network/join.ts';
import { Handlers, type HandlerSaying, type HookName } from './handlers.ts';
import type { HookInput, HookOutcome } from './hooks.ts';
import type { NetworkSign } from './network/pod-networks.ts';
import { pause } from './probe/deadline.ts';
import type { ProbeInput } from './probe/index.ts';
import { Prober, type ProbeOutcome, type ProberDeps } from './prober.ts';
import type { EffectRunner } from './pod-worker.ts';
import { watchStorage } from './storage-watch.ts';

/** What a container's main process is started with; hooks, probes and `exec` run with the same. */
export interface Preparation {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: boolean;
  readonly tty?: boolean;
  /** As whom it runs; undefined: podrun's own. */
  readonly identity?: Identity | undefined;
  /** The private network that it is in; undefined: that of the host. */
  readonly network?: NetworkJoin | undefined;
  /** Paths of the container, in the words of a command that runs in it, become those of the host. */
  readonly translate?: (word: string) => string;
  /** Where a path of the container is for its programs: volumes may be elsewhere. Undefined: where it says. */
  readonly locate?: (path: string) => string;
  /** What it sees of the machine; undefined: the host as it is. */
  readonly confinement?: Confinement | undefined;
}

export type Prepared =
  | {
      readonly ok: true;
      readonly preparation: Preparation;
      /** What is to be said about the container when it starts for the first time. */
      readonly notices?: readonly EventDraft[];
    }
  /**
   * The container's configuration cannot be resolved, in kubelet's words; or this machine cannot make such a container.
   * Default stage: config.
   */
  | { readonly ok: false; readonly message: string; readonly stage?: 'config' | 'create' };

/** One run of one container. */
export interface InstanceRef {
  readonly id: string;
  readonly container: string;
  readonly attempt: number;
}

/** The making of a Pod's environment. */
export interface SandboxAttempt {
  /** Aborted when the Pod goes down: what is being waited for is needed no more. */
  readonly signal: AbortSignal;
  readonly event: (event: EventDraft) => void;
}

/** What container effects need of their surroundings. */
export interface PodSurroundings {
  /**
   * Makes the Pod's environment: its directories and volumes. Rejects when it cannot; waits for what may still come,
   * until the signal is aborted. Answers the Pod's address; undefined: the node's.
   */
  createSandbox(pod: StoredPod, attempt: SandboxAttempt): Promise<string | undefined>;
  removeSandbox(pod: StoredPod): Promise<void>;
  /** What the Pod has on disk; never rejects. */
  measureStorage(pod: StoredPod, wanted: StorageMeasures): Promise<StorageUsage>;
  prepare(pod: StoredPod, container: Container, instance: InstanceRef): Promise<Prepared>;
  /** What the container may take; undefined: whatever there is. */
  limitsOf(pod: StoredPod, container: Container): ResourceLimits | undefined;
  started(pod: StoredPod, instance: LiveInstance): void;
  /** A container was taken over that a former agent has started. */
  adopted(pod: StoredPod, instance: LiveInstance): void;
  /** How words of commands are translated that run in a container which was started like this. */
  words(pod: StoredPod, instance: InstanceRef, launch: Adopted['launch']): Pick<Preparation, 'translate'>;
  output(pod: StoredPod, instance: InstanceRef, stream: OutputStream, chunk: Buffer): void;
  /** The main process has ended; its output is complete. Answers the termination message. */
  exited(pod: StoredPod, instance: InstanceRef, exit: ProcessExit): string | undefined;
  /** Says what an instance may have to do with the network; undefined: nothing. */
  explain(pod: StoredPod, instance: InstanceRef, sign: NetworkSign): Promise<EventDraft | undefined> | undefined;
  runHook(input: HookInput): Promise<HookOutcome>;
  /** Runs one probe once; never rejects. */
  runProbe(input: ProbeInput): Promise<ProbeOutcome>;
  /** An attempt of a probe has come to an end. */
  probed(pod: StoredPod, attempt: ProbeAttempt): void;
  /** What a hook or probe says: whole lines, or a note of podrun about it. */
  handlerSays(pod: StoredPod, instance: InstanceRef, said: HandlerSaying): void;
  event(pod: StoredPod, event: EventDraft): void;
}

export interface ContainerEffectsOptions {
  readonly clock: Clock;
  readonly runtime: Runtime;
  readonly surroundings: PodSurroundings;
  readonly tell: (seen: Observation) => void;
}

/** An instance whose main process was started and has not ended. */
export interface LiveInstance {
  readonly ref: InstanceRef;
  readonly preparation: Preparation;
  readonly running: RunningContainer;
  /** As they hold now: others when the Pod is resized. */
  limits?: ResourceLimits | undefined;
  /** Aborted when the instance has ended: nothing may run in it any more. */
  readonly ended: AbortController;
  /** Aborted when its postStart hook is to be broken off. */
  readonly postStart: AbortController;
  /** Hooks that run in it; settled when they have said their last. */
  readonly hooks: Set<Promise<unknown>>;
  /** Once it has ended: resolves when that has been told. */
  endTold?: Promise<void>;
}

function liveInstance(started: Pick<LiveInstance, 'ref' | 'preparation' | 'running' | 'limits'>): LiveInstance {
  const [ended, postStart] = [new AbortController(), new AbortController()];
  return { ...started, ended, postStart, hooks: new Set() };
}

/** A failed attempt to make the Pod's environment is repeated after this long. */
const SANDBOX_RETRY_MS = 5000;

/** Carries out a Pod's plan with a Runtime: starts, signals, hooks and probes. Knows nothing of why. */
export class ContainerEffects implements EffectRunner {
  readonly #clock: Clock;
  readonly #runtime: Runtime;
  readonly #surroundings: PodSurroundings;
  readonly #tell: (seen: Observation) => void;
  readonly #live = new Map<string, LiveInstance>();
  readonly #handlers: Handlers;
  readonly #prober: Prober;
  readonly #goingDown = new AbortController();
  readonly #limitsTold = new Set<string>();
  #pod: StoredPod | undefined;
  /** Settles when an environment that was there already has been found again. */
  #restored: Promise<void> | undefined;

  constructor({ clock, runtime, surroundings, tell }: ContainerEffectsOptions) {
    this.#clock = clock;
    this.#runtime = runtime;
    this.#surroundings = surroundings;
    this.#tell = tell;
    this.#handlers = new Handlers({ clock, runtime, surroundings });
    this.#prober = new Prober({
      clock,
      probe: (...probe) => this.#probe(...probe),
      onResult: ({ container, instanceId, type, success }) =>
        tell({ type: 'probeTurned', probe: type, container, id: instanceId, success }),
      onEvent: (event) => {
        if (this.#pod !== undefined) surroundings.event(this.#pod, event);
      },
      onAttempt: (attempt) => {
        if (this.#pod !== undefined) surroundings.probed(this.#pod, attempt);
      },
    });
  }

  resume(pod: StoredPod, instances: readonly FoundInstance[]): void {
    this.#pod = pod;
    this.#restored = this.#restoreSandbox(pod);
    for (const { id, container, attempt } of instances) this.#adopt(pod, { id, container, attempt });
  }

  perform(pod: StoredPod, effect: Exclude<Effect, { type: 'event' | 'finish' }>): void {
    switch (effect.type) {
      case 'createSandbox':
        return void this.#createSandbox(pod);
      case 'stopSandbox':
        return void this.#stopSandbox(pod);
      case 'start':
        return void this.#start(pod, effect);
      case 'runPostStart':
        return void this.#runHook(pod, 'postStart', effect);
      case 'cancelPostStart':
        return this.#live.get(effect.id)?.postStart.abort();
      case 'runPreStop':
        return void this.#runHook(pod, 'preStop', effect);
      case 'signal':
        return this.#signal(pod, effect);
      case 'kill':
        return this.#live.get(effect.id)?.running.kill();
      default:
        return effect satisfies never;
    }
  }

  follow(pod: StoredPod, facts: PodFacts): void {
    if (pod !== this.#pod) this.#resize(pod);
    this.#pod = pod;
    const containers = probedContainers(pod, facts);
    if (containers.length === 0) return;
    this.#prober.update({ containers, terminating: facts.termination !== undefined, finished: facts.finished });
  }

  close(): void {
    this.#prober.close();
    for (const instance of this.#live.values()) instance.ended.abort();
    this.#live.clear();
  }

  #signal(pod: StoredPod, { container, id }: { readonly container: string; readonly id: string }): void {
    const name = stopSignal(containerSpec(pod, container));
    const running = this.#live.get(id)?.running;
    const answered = (isUnheard = false): void => {
      if (isUnheard) this.#surroundings.event(pod, noSignalHandler(container, name));
    };
    if (running?.signalLater === undefined) answered(running?.signal(name));
    else void running.signalLater(name).then(answered);
  }

  async #createSandbox(pod: StoredPod): Promise<void> {
    const podIP = await this.#makeSandbox(pod);
    if (!this.#goingDown.signal.aborted) this.#tell({ type: 'sandboxReady', podIP });
  }

  /** What is there already is found again, and looked after. */
  async #restoreSandbox(pod: StoredPod): Promise<void> {
    await this.#makeSandbox(pod);
  }

  /** Tries until it has succeeded, or the Pod goes down. */
  async #makeSandbox(pod: StoredPod): Promise<string | undefined> {
    const { signal } = this.#goingDown;
    const event = (draft: EventDraft): void => this.#surroundings.event(pod, draft);
    while (!signal.aborted) {
      try {
        const podIP = await this.#surroundings.createSandbox(pod, { signal, event });
        void this.#watchStorage(pod, signal);
        return podIP;
      } catch (error) {
        event(failedCreatePodSandBox(error instanceof Error ? error.message : String(error)));
        await pause(this.#clock, SANDBOX_RETRY_MS, signal);
      }
    }
    return undefined;
  }

  #watchStorage(pod: StoredPod, signal: AbortSignal): Promise<void> {
    return watchStorage({
      pod,
      clock: this.#clock,
      signal,
      measure: (...wanted) => this.#surroundings.measureStorage(...wanted),
      tell: (usage) => this.#tell({ type: 'storageMeasured', usage }),
    });
  }

  async #stopSandbox(pod: StoredPod): Promise<void> {
    this.#goingDown.abort();
    try {
      await this.#surroundings.removeSandbox(pod);
    } finally {
      this.#tell({ type: 'sandboxStopped' });
    }
  }

  async #start(pod: StoredPod, instance: InstanceRef): Promise<void> {
    const { container, id } = instance;
    const failed = (stage: StartFailed['stage'], message: string, at = this.#clock.now()): void =>
      this.#tell({ type: 'startFailed', container, id, stage, message, at });

    if (this.#restored !== undefined) await this.#restored;
    // What goes wrong on the way (a full disk) is told as the reason why the container does not start.
    const prepared = await this.#surroundings
      .prepare(pod, containerSpec(pod, container), instance)
      .catch((error: unknown): Prepared => ({
        ok: false,
        message: String(error instanceof Error ? error.message : error),
      }));
    if (!prepared.ok) return failed(prepared.stage ?? 'config', prepared.message);
    if (instance.attempt === 0) for (const notice of prepared.notices ?? []) this.#surroundings.event(pod, notice);
    const limits = this.#surroundings.limitsOf(pod, containerSpec(pod, container));
    const outcome = await this.#runtime.start({
      id,
      ...prepared.preparation,
      limits,
      onOutput: (stream, chunk) => this.#surroundings.output(pod, instance, stream, chunk),
      onExit: (exit) => this.#exited(pod, instance, exit),
    });
    if (!outcome.ok) return failed('start', outcome.error, outcome.at);
    const { container: running } = outcome;
    const live = liveInstance({ ref: instance, preparation: prepared.preparation, running, limits });
    this.#live.set(id, live);
    this.#surroundings.started(pod, live);
    if (outcome.notice !== undefined) this.#surroundings.event(pod, terminalMissing(container, outcome.notice));
    if (outcome.limitsNotice !== undefined) this.#tellLimits(pod, outcome.limitsNotice);
    this.#tell({ type: 'started', container, id, at: outcome.container.startedAt });
  }

  /** Takes a container over that runs already. */
  #adopt(pod: StoredPod, instance: InstanceRef): void {
    const adopted = this.#runtime.adopt?.(instance.id, {
      onOutput: (stream, chunk) => this.#surroundings.output(pod, instance, stream, chunk),
      onExit: (exit) => this.#exited(pod, instance, exit),
    });
    if (adopted === undefined) return;
    const { container: running, launch } = adopted;
    const preparation = { ...launch, ...this.#surroundings.words(pod, instance, launch) };
    const live = liveInstance({ ref: instance, preparation, running, limits: launch.limits });
    this.#live.set(instance.id, live);
    this.#surroundings.adopted(pod, live);
  }

  /** What is changed of a running Pod's resources holds at once, where a container is not restarted for it. */
  #resize(pod: StoredPod): void {
    for (const live of this.#live.values()) {
      const limits = this.#surroundings.limitsOf(pod, containerSpec(pod, live.ref.container));
      // As they are told from process to process: what is undefined and what is not there is the same.
      if (JSON.stringify(limits) === JSON.stringify(live.limits)) continue;
      live.limits = limits;
      const notice = limits === undefined ? undefined : live.running.limit?.(limits);
      if (notice !== undefined) this.#tellLimits(pod, notice);
    }
  }

  /** The same for all containers, most likely: once is enough. */
  #tellLimits(pod: StoredPod, notice: string): void {
    if (this.#limitsTold.has(notice)) return;
    this.#limitsTold.add(notice);
    this.#surroundings.event(pod, limitsNotEnforced(notice));
  }

  #exited(pod: StoredPod, instance: InstanceRef, exit: ProcessExit): void {
    const { container, id } = instance;
    const live = this.#live.get(id);
    live?.ended.abort();
    this.#live.delete(id);
    const message = this.#surroundings.exited(pod, instance, exit);
    const { exitCode, oomKilled, at } = exit;
    const tell = (): void => {
      this.#tell({ type: 'exited', container, id, exitCode, oomKilled, message, at });
      void exit.swept.then(() => this.#tell({ type: 'swept', container, id }));
    };
    // Who follows what hooks say stops when the end is told: those that were just broken off say so first.
    const runMs = at.monotonicMs - (live?.running.startedAt.monotonicMs ?? 0);
    const explained = this.#explain(pod, instance, { type: 'exited', exit, runMs });
    const first = [...(live?.hooks ?? []), ...(explained === undefined ? [] : [explained])];
    if (live === undefined || first.length === 0) tell();
    else live.endTold = Promise.all(first).then(tell);
  }

  async #runHook(
    pod: StoredPod,
    hook: HookName,
    { container, id }: { readonly container: string; readonly id: string },
  ): Promise<void> {
    const instance = this.#live.get(id);
    if (instance === undefined) return this.#tell({ type: 'hookReturned', hook, container, id, error: undefined });
    const running = this.#handlers.runHook(pod, instance, hook);
    instance.hooks.add(running);
    const error = await running;
    instance.hooks.delete(running);
    await instance.endTold;
    this.#tell({ type: 'hookReturned', hook, container, id, error });
  }

  #explain(pod: StoredPod, instance: InstanceRef, sign: NetworkSign): Promise<void> | undefined {
    return this.#surroundings.explain(pod, instance, sign)?.then((event) => {
      if (event !== undefined) this.#surroundings.event(pod, event);
    });
  }

  async #probe(...[{ name }, type, probe, signal]: Parameters<ProberDeps['probe']>): Promise<ProbeOutcome> {
    const pod = this.#pod;
    const instance = [...this.#live.values()].find(({ ref }) => ref.container === name);
    if (pod === undefined || instance === undefined) {
      return { result: 'error', output: 'container is not running' };
    }
    const outcome = await this.#handlers.runProbe(pod, instance, { type, probe, signal });
    if (!signal.aborted) void this.#explain(pod, instance.ref, { type: 'probed', probe, outcome });
    return outcome;
  }
}
