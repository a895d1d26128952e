import { allContainers, type StoredPod } from '../../api/objects.ts';
import type { Instant } from '../../api/time.ts';
import type { Container } from '../../api/generated/types.ts';
import type { BackOffLimits } from './back-off.ts';
import { type Effect, type EventDraft, eventEffect } from '../effects.ts';
import {
  type ContainerFacts,
  containerFacts,
  type PodFacts,
  type Stop,
  type TerminationCause,
  withContainer,
} from '../facts.ts';
import type { ImageVerdicts } from './image-pull.ts';

/** The settings of a sync, besides the Pod and the time. */
export interface SyncConfig {
  readonly crashLoop: BackOffLimits;
  readonly images: ImageVerdicts;
}

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

  /** True while any container is being started. */
  get isStarting(): boolean {
    const { facts } = this;
    if (this.#starting?.facts !== facts) {
      this.#starting = { facts, isAny: Object.values(facts.containers).some(({ starting }) => starting !== undefined) };
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
    if (starting !== undefined) this.change(name, { starting: { ...starting, stop } });
    else if (current !== undefined) this.change(name, { current: { ...current, stop } });
  }

  terminate(cause: TerminationCause, graceSeconds: number, message?: string): void {
    this.facts = { ...this.facts, termination: { cause, since: this.now, graceSeconds, force: false, message } };
  }

  /** All containers of the Pod: init in the order of the spec, then regular, then ephemeral. */
  get containers(): Container[] {
    return allContainers(this.pod.spec);
  }
}
