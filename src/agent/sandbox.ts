import type { StoredPod } from '../api/objects.ts';
import type { Clock } from '../clock.ts';
import type { EventDraft } from '../lifecycle/effects.ts';
import type { Observation } from '../lifecycle/observation.ts';
import { failedCreatePodSandBox } from '../lifecycle/texts/events.ts';
import type { PodSurroundings } from './pod-surroundings.ts';
import { pause } from './probe/deadline.ts';
import { watchStorage } from './storage-watch.ts';

/** What a sandbox needs to be made, and who is told of it. */
export interface SandboxOptions {
  readonly clock: Clock;
  readonly surroundings: Pick<PodSurroundings, 'createSandbox' | 'removeSandbox' | 'measureStorage' | 'event'>;
  readonly tell: (seen: Observation) => void;
}

/** A failed attempt to make the Pod's environment is repeated after this long. */
const SANDBOX_RETRY_MS = 5000;

/** A Pod's environment, in which its containers run: made until that succeeds, looked after, and taken away. */
export class Sandbox {
  readonly #clock: Clock;
  readonly #surroundings: SandboxOptions['surroundings'];
  readonly #tell: (seen: Observation) => void;
  readonly #goingDown = new AbortController();

  constructor({ clock, surroundings, tell }: SandboxOptions) {
    this.#clock = clock;
    this.#surroundings = surroundings;
    this.#tell = tell;
  }

  /** Makes it, and says so, unless the Pod goes down meanwhile. */
  async create(pod: StoredPod): Promise<void> {
    const podIP = await this.#make(pod);
    if (!this.#goingDown.signal.aborted) this.#tell({ type: 'sandboxReady', podIP });
  }

  /** What is there already is found again, and looked after. */
  async restore(pod: StoredPod): Promise<void> {
    await this.#make(pod);
  }

  /** Tries until it has succeeded, or the Pod goes down. */
  async #make(pod: StoredPod): Promise<string | undefined> {
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

  /** Gives up what is being made, takes away what is there, and says so. */
  async stop(pod: StoredPod): Promise<void> {
    this.#goingDown.abort();
    try {
      await this.#surroundings.removeSandbox(pod);
    } finally {
      this.#tell({ type: 'sandboxStopped' });
    }
  }
}
