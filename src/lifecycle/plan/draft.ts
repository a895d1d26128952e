import { allContainers, type Container, type Instant, type StoredPod } from '../../api/index.ts';
import type { BackOffLimits } from './back-off.ts';
import { type Effect, eventEffect } from '../base/effects.ts';
import { type ContainerFacts, containerFacts, type PodFacts, type Stop, withContainer } from '../base/facts.ts';
import { sandboxAfter } from '../base/sandbox.ts';
import type { TerminationReason } from '../base/termination.ts';
import type { ImageVerdicts } from './image-pull.ts';
import type { EventDraft } from '../texts/events.ts';

/** The settings of a sync, besides the Pod and the time. */
export interface SyncConfig {
  readonly crashLoop: BackOffLimits;
  readonly images: ImageVerdicts;
}

function isBeingStarted({ starting, ensuring }: ContainerFacts): boolean {
  return starting !== undefined || ensuring?.pending !== undefined;
}

const SANDBOX_EFFECTS: Readonly<Record<'create' | 'stop' | 'finish', Effect>> = {
  create: { type: 'createSandbox' },
  stop: { type: 'stopSandbox' },
  finish: { type: 'finish' },
};

/**
 * A plan in the making: the next facts, the effects so far and the next wake-up time. It lives inside one call of
 * `sync`.
 */
export class Draft {
  readonly pod: StoredPod;
  readonly config: SyncConfig;
  readonly now: Instant;
  facts: PodFacts;
  readonly effects: Effect[] = [];
  wakeAtMs: number | undefined;
  /** Caches `isStarting` while the facts are the same object. */
  #starting: { readonly facts: PodFacts; readonly isAny: boolean } | undefined;

  constructor(pod: StoredPod, facts: PodFacts, config: SyncConfig, now: Instant) {
    this.pod = pod;
    this.facts = facts;
    this.config = config;
    this.now = now;
  }

  own(container: Pick<Container, 'name'>): ContainerFacts {
    return containerFacts(this.facts, container.name);
  }

  change(name: string, change: Partial<ContainerFacts>): void {
    this.facts = withContainer(this.facts, name, change);
  }

  /** True while any container is being started, or an image of one is looked up or pulled. */
  get isStarting(): boolean {
    const { facts } = this;
    if (this.#starting?.facts !== facts) {
      this.#starting = { facts, isAny: Object.values(facts.containers).some(isBeingStarted) };
    }
    return this.#starting.isAny;
  }

  event(event: EventDraft): void {
    this.effects.push(eventEffect(event));
  }

  /** Plans a sync at this time or earlier. */
  wake(atMs: number): void {
    if (this.wakeAtMs === undefined || atMs < this.wakeAtMs) this.wakeAtMs = atMs;
  }

  /** Sets the stop of the container's process: the process being started or the newest instance. */
  setStop(name: string, stop: Stop): void {
    const { starting, current } = this.own({ name });
    if (starting !== undefined && starting.stage !== 'creating') this.change(name, { starting: { ...starting, stop } });
    else if (current !== undefined) this.change(name, { current: { ...current, stop } });
  }

  /** Begins a termination. One that was requested before may shorten its grace period. */
  terminate(reason: TerminationReason, graceSeconds: number): void {
    const { ending } = this.facts;
    const requested = ending.stage === 'requested' ? ending.termination.graceSeconds : graceSeconds;
    const terms = { since: this.now, graceSeconds: Math.min(graceSeconds, requested), force: false, phase: undefined };
    this.facts = { ...this.facts, ending: { stage: 'terminating', termination: { ...reason, ...terms } } };
  }

  /** Takes a step with the sandbox, unless it has been taken. */
  moveSandbox(step: keyof typeof SANDBOX_EFFECTS): void {
    const sandbox = sandboxAfter(this.facts.sandbox, step);
    if (sandbox === this.facts.sandbox) return;
    this.facts = { ...this.facts, sandbox };
    this.effects.push(SANDBOX_EFFECTS[step]);
  }

  /** All containers of the Pod: init in the order of the spec, then regular, then ephemeral. */
  get containers(): Container[] {
    return allContainers(this.pod.spec);
  }
}
