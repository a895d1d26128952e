import { caught, inBackground } from '../defects.ts';
import type { StoredPod } from '../api/index.ts';
import {
  containerSpec,
  type Effect,
  type EventDraft,
  type FoundInstance,
  limitsNotEnforced,
  noSignalHandler,
  type PlannedProbe,
  type PodFacts,
  probedContainers,
  probedStage,
  type StartFailed,
  stopSignal,
  terminalMissing,
} from '../lifecycle/index.ts';
import type { ProcessExit } from '../runtime/index.ts';
import type { HookName } from './hooks/handler-log.ts';
import { Handlers, type HandlersOptions } from './handlers.ts';
import { type LiveInstance, liveInstance } from './base/instance.ts';
import type { InstanceRef } from '../store/index.ts';
import type { NetworkSymptom } from '../network/index.ts';
import type { EffectRunner } from './pod-worker.ts';
import type { ProbeAbort } from './probe/input.ts';
import { Prober, type ProbeOutcome, type ProberDeps } from './probe/prober.ts';
import { quietly } from '../quietly.ts';
import { Sandbox, type SandboxOptions } from './sandbox.ts';

/** Carries out a Pod's plan with a Runtime: starts, signals, hooks and probes. */
export class ContainerEffects implements EffectRunner {
  readonly #options: HandlersOptions & SandboxOptions;
  /** By id of the instance. */
  readonly #live = new Map<string, LiveInstance>();
  /** The same instances by name of the container. */
  readonly #latest = new Map<string, LiveInstance>();
  readonly #handlers: Handlers;
  readonly #prober: Prober;
  readonly #sandbox: Sandbox;
  /** Aborted when the Pod has finished: its images are not needed any more. */
  readonly #closing = new AbortController();
  readonly #reportedLimits = new Set<string>();
  /** Containers without a handler for their stop signal: each gets one event. */
  readonly #withoutHandler = new Set<string>();
  #pod: StoredPod | undefined;
  /** Instances that were killed because of a defect, by id: takes the promise that all of their processes are gone. */
  readonly #killed = new Map<string, (gone: Promise<unknown>) => void>();
  #isAbandoned = false;
  /** Settles when the sandbox of a former agent has been found again. */
  #restored: Promise<void> | undefined;

  constructor(options: HandlersOptions & SandboxOptions) {
    const { clock, machine, report } = options;
    this.#options = options;
    this.#handlers = new Handlers(options);
    this.#sandbox = new Sandbox(options);
    this.#prober = new Prober({
      clock,
      probe: (...probe) => this.#probe(...probe),
      onDefect: (defect) => report.failed(defect),
      onResult: ({ container, instanceId, type, success }) =>
        report.observed({ type: 'probeTurned', probe: type, container, id: instanceId, success }),
      onEvent: (event) => {
        if (this.#pod !== undefined) report.event(this.#pod, event);
      },
      onAttempt: (attempt) => {
        if (this.#pod !== undefined) machine.probed(this.#pod, attempt);
      },
    });
  }

  resume(pod: StoredPod, instances: readonly FoundInstance[]): void {
    this.#pod = pod;
    this.#restored = this.#sandbox.create(pod, true);
    this.#step(this.#restored);
    for (const { id, container, attempt } of instances) this.#adopt(pod, { id, container, attempt });
  }

  perform(pod: StoredPod, effect: Exclude<Effect, { type: 'event' | 'finish' }>): void {
    switch (effect.type) {
      case 'createSandbox':
        return this.#step(this.#sandbox.create(pod, false));
      case 'stopSandbox':
        return inBackground(this.#sandbox.stop(pod));
      case 'start':
        return this.#step(this.#start(pod, effect));
      case 'ensureImage':
        return this.#step(this.#ensureImage(pod, effect));
      case 'runPostStart':
        return this.#step(this.#runHook(pod, 'postStart', effect));
      case 'cancelPostStart':
        return this.#live.get(effect.id)?.postStart.abort();
      case 'runPreStop':
        return this.#step(this.#runHook(pod, 'preStop', effect));
      case 'signal':
        return this.#signal(pod, effect);
      case 'kill':
        return this.#live.get(effect.id)?.running.kill();
      default:
        return effect satisfies never;
    }
  }

  follow(pod: StoredPod, facts: PodFacts): void {
    if (pod.spec !== this.#pod?.spec) this.#resize(pod);
    this.#pod = pod;
    const containers = probedContainers(pod, facts);
    if (containers.length === 0) return;
    this.#prober.update({ containers, stage: probedStage(facts) });
  }

  get probes(): readonly PlannedProbe[] {
    return this.#prober.plans;
  }

  close(): void {
    this.#closing.abort();
    this.#prober.close();
    for (const instance of this.#live.values()) instance.ended.abort();
    this.#live.clear();
    this.#latest.clear();
  }

  /**
   * Kills all containers and removes the sandbox, as far as that succeeds. Programs that are being started die as soon
   * as they run.
   */
  abandon(pod: StoredPod): Promise<unknown> {
    this.#isAbandoned = true;
    const live = [...this.#live.values()];
    const gone = live.map(({ ref }) => new Promise<unknown>((resolve) => this.#killed.set(ref.id, resolve)));
    for (const { running } of live) caught(() => running.kill())();
    caught(() => this.close())();
    return Promise.allSettled(gone)
      .then(() => this.#sandbox.stop(pod))
      .catch(() => undefined);
  }

  /** Follows a step that the Pod waits for: a failure ends the Pod. */
  #step(work: Promise<unknown>): void {
    inBackground(work.catch((error: unknown) => this.#options.report.failed(error)));
  }

  #signal(pod: StoredPod, { container, id }: { readonly container: string; readonly id: string }): void {
    const { running, launch } = this.#live.get(id) ?? {};
    const name = stopSignal(containerSpec(pod, container), launch?.stopSignal);
    const warn = (isUnheard = false): void => {
      if (!isUnheard || this.#withoutHandler.has(container)) return;
      this.#withoutHandler.add(container);
      this.#options.report.event(pod, noSignalHandler(container, name));
    };
    if (running?.signalLater === undefined) warn(running?.signal(name));
    else inBackground(running.signalLater(name).then(warn));
  }

  async #ensureImage(pod: StoredPod, effect: Extract<Effect, { type: 'ensureImage' }>): Promise<void> {
    const { need, mayPull } = effect;
    const { signal } = this.#closing;
    const event = (draft: EventDraft): void => this.#options.report.event(pod, draft);
    const ensured = await this.#options.machine.ensureImage(pod, { need, mayPull, signal, event });
    if (!signal.aborted) this.#options.report.observed({ type: 'imageSeen', need, ensured });
  }

  async #start(pod: StoredPod, instance: InstanceRef): Promise<void> {
    const { container, id } = instance;
    const failed = (stage: StartFailed['stage'], message: string, at = this.#options.clock.now()): void =>
      this.#options.report.observed({ type: 'startFailed', container, id, stage, message, at });

    if (this.#restored !== undefined) await this.#restored;
    const prepared = await this.#options.machine.prepare(pod, instance);
    if (!prepared.ok) return failed(prepared.stage, prepared.message);
    const { launch, notices, user } = prepared;
    if (instance.attempt === 0) for (const notice of notices) this.#options.report.event(pod, notice);
    const outcome = await this.#options.runtime.start({
      id,
      ...launch,
      logFile: this.#options.machine.logFile(pod, instance),
      onOutput: (stream, chunk) => this.#options.machine.output(pod, instance, stream, chunk),
      onExit: (exit) => this.#takeExit(pod, instance, exit),
    });
    if (this.#isAbandoned && outcome.ok) return outcome.container.kill();
    if (!outcome.ok) {
      this.#options.machine.startFailed(pod, instance);
      return failed('start', outcome.error, outcome.at);
    }
    const { container: running } = outcome;
    const live = liveInstance({ ref: instance, launch, running });
    this.#add(live);
    this.#options.machine.started(pod, live);
    inBackground(this.#explain(pod, instance, { type: 'started' }));
    if (outcome.notice !== undefined) this.#options.report.event(pod, terminalMissing(container, outcome.notice));
    if (outcome.limitsNotice !== undefined) this.#reportLimits(pod, outcome.limitsNotice);
    this.#options.report.observed({ type: 'started', container, id, at: outcome.container.startedAt, user });
  }

  #add(live: LiveInstance): void {
    this.#live.set(live.ref.id, live);
    this.#latest.set(live.ref.container, live);
  }

  /** Takes over a container that already runs. */
  #adopt(pod: StoredPod, instance: InstanceRef): void {
    const adopted = this.#options.runtime.adopt?.(instance.id, {
      onOutput: (stream, chunk) => this.#options.machine.output(pod, instance, stream, chunk),
      onExit: (exit) => this.#takeExit(pod, instance, exit),
    });
    if (adopted === undefined) return;
    const { container: running, launch } = adopted;
    const live = liveInstance({ ref: instance, launch: this.#options.machine.restore(pod, instance, launch), running });
    this.#add(live);
    inBackground(this.#options.machine.adopted(pod, live));
  }

  /** New resource limits take effect at once, unless they restart the container. */
  #resize(pod: StoredPod): void {
    for (const live of this.#live.values()) {
      const limits = this.#options.machine.limitsOf(pod, containerSpec(pod, live.ref.container));
      // JSON treats an undefined property like a missing one. Limits that went through a socket have lost the undefined
      // ones.
      if (JSON.stringify(limits) === JSON.stringify(live.limits)) continue;
      live.limits = limits;
      const notice = limits === undefined ? undefined : live.running.limit?.(limits);
      if (notice !== undefined) this.#reportLimits(pod, notice);
    }
  }

  /** Reports a notice once: it is usually the same for all containers. */
  #reportLimits(pod: StoredPod, notice: string): void {
    if (this.#reportedLimits.has(notice)) return;
    this.#reportedLimits.add(notice);
    this.#options.report.event(pod, limitsNotEnforced(notice));
  }

  #takeExit(pod: StoredPod, instance: InstanceRef, exit: ProcessExit): void {
    if (this.#isAbandoned) {
      quietly(() => this.#options.machine.exited(pod, instance, exit));
      exit.swept.catch(() => undefined);
      return this.#killed.get(instance.id)?.(exit.swept);
    }
    try {
      this.#exited(pod, instance, exit);
    } catch (error) {
      this.#options.report.failed(error);
    }
  }

  #exited(pod: StoredPod, instance: InstanceRef, exit: ProcessExit): void {
    const { container, id } = instance;
    const live = this.#live.get(id);
    live?.ended.abort();
    this.#live.delete(id);
    if (this.#latest.get(container) === live) this.#latest.delete(container);
    const message = this.#options.machine.exited(pod, instance, exit);
    const { exitCode, oomKilled, at } = exit;
    const report = (): void => {
      this.#options.report.observed({ type: 'exited', container, id, exitCode, oomKilled, message, at });
      this.#step(exit.swept.then(() => this.#options.report.observed({ type: 'swept', container, id })));
    };
    // Readers of hook output stop at the exit. So a hook that was cut short writes its last line before the exit is
    // reported.
    const runMs = at.monotonicMs - (live?.running.startedAt.monotonicMs ?? 0);
    const explained = this.#explain(pod, instance, { type: 'exited', exit, runMs });
    const first = [...(live?.hooks ?? []), ...(explained === undefined ? [] : [explained])];
    if (live === undefined || first.length === 0) report();
    else {
      const { report: result } = this.#options;
      live.exitReported = Promise.all(first)
        .then(report)
        .catch((error: unknown) => result.failed(error));
    }
  }

  async #runHook(
    pod: StoredPod,
    hook: HookName,
    { container, id }: { readonly container: string; readonly id: string },
  ): Promise<void> {
    const instance = this.#live.get(id);
    if (instance === undefined)
      return this.#options.report.observed({ type: 'hookReturned', hook, container, id, error: undefined });
    const running = this.#handlers.runHook(pod, instance, hook);
    instance.hooks.add(running);
    const error = await running;
    instance.hooks.delete(running);
    await instance.exitReported;
    this.#options.report.observed({ type: 'hookReturned', hook, container, id, error });
  }

  #explain(pod: StoredPod, instance: InstanceRef, symptom: NetworkSymptom): Promise<void> | undefined {
    return this.#options.machine.explain(pod, instance, symptom)?.then((event) => {
      if (event !== undefined) this.#options.report.event(pod, event);
    });
  }

  async #probe(...[{ name }, type, probe, abort]: Parameters<ProberDeps['probe']>): Promise<ProbeOutcome> {
    const pod = this.#pod;
    const instance = this.#latest.get(name);
    if (pod === undefined || instance === undefined) return untilAborted(abort);
    const outcome = await this.#handlers.runProbe(pod, instance, { type, probe, abort });
    if (!abort.isAborted) inBackground(this.#explain(pod, instance.ref, { type: 'probed', probe, outcome }));
    return outcome;
  }
}

/**
 * The outcome of a probe that became due between the exit of its container and the report of that exit. The report
 * aborts the probe, so that the outcome is neither counted nor an event.
 */
function untilAborted(abort: ProbeAbort): Promise<ProbeOutcome> {
  return new Promise((resolve) =>
    abort.onAbort(() => resolve({ result: 'error', output: 'container is not running' })),
  );
}
